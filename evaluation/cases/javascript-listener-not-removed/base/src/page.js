import { Chart } from "./chart.js";

let open = null;

export function show(rows) {
  if (open) {
    open.close();
  }
  const canvas = document.createElement("canvas");
  document.body.append(canvas);
  open = new Chart(canvas, rows);
}
