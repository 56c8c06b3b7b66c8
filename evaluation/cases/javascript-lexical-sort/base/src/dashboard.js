import { mean } from "./statistics.js";

/** One line about the response times, in milliseconds. */
export function summary(times) {
  if (times.length === 0) {
    return "no requests";
  }
  return `mean ${mean(times).toFixed(0)} ms`;
}
