import { draw } from "./draw.js";

export class Chart {
  constructor(canvas, rows) {
    this.canvas = canvas;
    this.rows = rows;
    window.addEventListener("resize", () => this.redraw());
  }

  redraw() {
    draw(this.canvas.getContext("2d"), this.rows);
  }

  close() {
    this.canvas.remove();
    this.canvas = null;
  }
}
