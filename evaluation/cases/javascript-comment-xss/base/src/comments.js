export function renderComment(element, comment) {
  element.querySelector(".author").textContent = comment.author;
  element.querySelector(".text").textContent = comment.text;
}
