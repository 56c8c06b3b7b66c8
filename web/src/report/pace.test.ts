import { expect, test } from 'vitest';
import { isFlying, moved, type Pace } from './pace';

const still: Pace = { at: -Infinity, place: 0, inARow: 0 };
const through = (places: number[], every = 16): Pace => places.reduce((pace, place, index) => moved(pace, place, index * every), still);

test('one jump is not a flight: what it leads to is drawn at once', () => {
  expect(isFlying(through([0, 90_000]), 20)).toBe(false);
});

test('fast moves in a row are a flight, which ends with a rest', () => {
  const pace = through([0, 600, 1_200, 1_800]);
  expect(isFlying(pace, 50)).toBe(true);
  expect(isFlying(pace, 900)).toBe(false);
});

test('a wheel turned slowly is no flight', () => {
  expect(isFlying(through([0, 100, 200, 300, 400]), 70)).toBe(false);
});

test('a flight stays one on a slow machine', () => {
  expect(isFlying(through([0, 600, 1_200, 1_800], 300), 950)).toBe(true);
});
