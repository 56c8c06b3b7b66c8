import type { Entry } from "./types";

export function total(entries: Entry[]): number {
  let sum = 0;
  for (const entry of entries) {
    if (entry.isVoid) {
      continue;
    }
    sum += entry.cents;
  }
  return sum;
}

export function accounts(entries: Entry[]): string[] {
  const names: string[] = [];
  for (const entry of entries) {
    if (names.indexOf(entry.account) === -1) {
      names.push(entry.account);
    }
  }
  return names;
}
