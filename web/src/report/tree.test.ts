import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Branch, grow } from './tree';

const paths = (branches: Branch<true>[]): string[] => branches.flatMap((one) => (one.leaf ? [one.path] : paths(one.children)));

test('every file is in the tree once', () => {
  const path = fc.array(fc.constantFrom('a', 'b', 'src', 'x.py'), { minLength: 1, maxLength: 5 }).map((parts) => [...parts, 'file'].join('/'));
  fc.assert(fc.property(fc.uniqueArray(path), (all) => { expect(paths(grow(all.map((one) => ({ path: one, leaf: true as const })))).sort()).toEqual([...all].sort()); }));
});

test('folders with one folder in them are one line', () => {
  const [only] = grow(['src/shop/a.py', 'src/shop/b.py'].map((path) => ({ path, leaf: true as const })));
  expect(only).toMatchObject({ name: 'src/shop', path: 'src/shop' });
});
