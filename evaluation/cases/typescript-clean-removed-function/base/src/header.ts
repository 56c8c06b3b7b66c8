import { formatDay } from "./dates";

export function header(title: string, now: Date): string {
  return `${title} (${formatDay(now)})`;
}
