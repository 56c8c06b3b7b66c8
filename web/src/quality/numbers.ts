/** Numbers over several reviews: one way for the headline, the charts and the tables. */
import type { Shape } from '../api/client';

export type OverTime = Shape<'ReviewPoint'>;
export type Fate = 'refuted' | 'dropped' | 'relocated';

/** Of an even number the mean of the two in the middle, as the service counts it. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  if (!sorted.length) return null;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function known(reviews: readonly OverTime[], name: 'cost_usd' | 'duration_ms'): number[] {
  return reviews.flatMap((one) => (one[name] === null ? [] : [one[name]]));
}

/** How many met a fate, of how many. What was dropped may never have been handed in: then it is counted in both. */
export function fateOf(reviews: readonly OverTime[], name: Fate): { count: number; of: number } {
  const sum = (part: (one: OverTime) => number) => reviews.reduce((total, one) => total + part(one), 0);
  return { count: sum((one) => one[name]), of: sum((one) => one.candidates + (name === 'dropped' ? one.set_aside : 0)) };
}
