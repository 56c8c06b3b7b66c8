export function renderName(element, name) {
  element.textContent = name;
}
