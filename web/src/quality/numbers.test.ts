import { expect, test } from 'vitest';
import { fateOf, median, type OverTime } from './numbers';

test('the median of an even number is the mean of the two in the middle', () => {
  expect(median([18_000, 6_000])).toBe(12_000);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([])).toBeNull();
});

test('what was dropped before it was handed in counts on both sides of its share', () => {
  const reviews = [{ candidates: 2, dropped: 3, set_aside: 3, refuted: 1 }, { candidates: 1, dropped: 1, set_aside: 0, refuted: 0 }] as OverTime[];
  expect(fateOf(reviews, 'dropped')).toEqual({ count: 4, of: 6 });
  expect(fateOf(reviews, 'refuted')).toEqual({ count: 1, of: 3 });
});
