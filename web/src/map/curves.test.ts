import { expect, test } from 'vitest';
import { curvesOf, placesOf, type Scene } from './curves';
import type { Neighbour } from './graph';

const by = (path: string, ...of: string[]): Neighbour => ({ path, ties: ['imports'], reasons: [], of, spots: [], score: 0 });
const scene = (parts: Partial<Scene>): Scene => ({ files: ['a.py', 'b.py', 'c.py'], within: [], around: [], visible: [], neighbour: null, spots: [], file: null, spot: null, ...parts });
const drawn = (one: Scene) => curvesOf(one, placesOf(one, 1_000));

test('what one changed file uses of another is drawn between them, in the room that is made for it', () => {
  const tied = scene({ within: [by('c.py', 'a.py', 'b.py')] });
  expect(drawn(tied).map((one) => [one.key, one.tie, one.isLit])).toEqual([['c.py in a.py', 'imports', true], ['c.py in b.py', 'imports', true]]);
  expect(placesOf(tied, 1_000).x(0)).toBeGreaterThan(placesOf(scene({}), 1_000).x(0));
  for (const one of drawn(tied)) expect(one.d.match(/-?\d+(\.\d+)?/g)!.every((number) => Number(number) >= -12)).toBe(true);
});

test('a chosen file dims what is between others', () => {
  const tied = scene({ within: [by('c.py', 'b.py'), by('b.py', 'a.py')], file: 'a.py' });
  expect(drawn(tied).map((one) => [one.key, one.isLit])).toEqual([['c.py in b.py', false], ['b.py in a.py', true]]);
});

test('a file that is not drawn has no arc', () => {
  expect(drawn(scene({ files: ['a.py'], within: [by('c.py', 'a.py')] }))).toEqual([]);
});
