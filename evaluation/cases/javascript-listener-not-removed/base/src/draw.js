export function draw(context, rows) {
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  rows.forEach((row, index) => context.fillRect(index * 12, 0, 10, row.value));
}
