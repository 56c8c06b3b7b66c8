export function formatDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The format of the printed catalogue, which is the same by now. */
export function formatDayOld(date: Date): string {
  return formatDay(date);
}
