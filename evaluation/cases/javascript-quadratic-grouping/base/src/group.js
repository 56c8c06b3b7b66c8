export function groupBySensor(rows) {
  const groups = {};
  for (const row of rows) {
    row.seen = true;
    (groups[row.sensor] ??= []).push(row);
  }
  return groups;
}
