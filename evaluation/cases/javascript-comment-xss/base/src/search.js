import { renderComment } from "./comments.js";

export function showFound(list, comments, template) {
  list.replaceChildren();
  for (const comment of comments) {
    const element = template.content.firstElementChild.cloneNode(true);
    renderComment(element, comment);
    list.append(element);
  }
}
