import { groupBySensor } from "./group.js";

export function report(rows) {
  return Object.entries(groupBySensor(rows)).map(([sensor, values]) => `${sensor}: ${values.length}`);
}
