import { renderName } from "./files.js";

export function renderList(list, names) {
  list.replaceChildren();
  for (const name of names) {
    const item = document.createElement("li");
    renderName(item, name);
    list.append(item);
  }
}
