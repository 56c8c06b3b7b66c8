import { formatDayOld } from "./dates";

export function footer(printed: Date): string {
  return `Printed on ${formatDayOld(printed)}`;
}
