import { expect, test } from 'vitest';
import { type ContextMap, depends, inside, neighbours, spotsOn } from './graph';

const map = {
  symbols: [{ fate: 'touched', base: null, head: { path: 'prices.py', name: 'discounted', qualified: 'discounted' } }],
  references: [{ symbol: 'discounted', path: 'checkout.py', line: 13, text: 'discounted(price)', side: 'head', verification_method: 'searched', certainty: 'certain' }],
  importers: [{ path: 'checkout.py', line: 5, name: 'prices', target: 'prices.py', names: ['discounted'] }],
  related_files: [
    { path: 'checkout.py', score: 9, reasons: [{ kind: 'calls', detail: 'calls discounted', lines: [13] }], symbols: [] },
    { path: 'notes.md', score: 1, reasons: [{ kind: 'documents', detail: 'names it', lines: [] }], symbols: [] },
    { path: 'prices.py', score: 99, reasons: [], symbols: [] },
  ],
  left_out: [],
} as unknown as ContextMap;

test('a file that depends on the change hangs on the file whose symbol it uses, with the lines', () => {
  const [first, second] = neighbours(map, ['prices.py', 'orders.py']);
  expect(first).toMatchObject({ path: 'checkout.py', of: ['prices.py'], ties: ['uses', 'imports'] });
  expect(first!.spots.map((spot) => [spot.line, spot.text])).toEqual([[5, ''], [13, 'discounted(price)']]);
  expect(second).toMatchObject({ path: 'notes.md', of: ['prices.py', 'orders.py'] });
});

test('a changed file hangs on the changed files that it uses, with the lines that are about each', () => {
  const within = inside(map, ['prices.py', 'checkout.py', 'orders.py']);
  expect(within).toMatchObject([{ path: 'checkout.py', of: ['prices.py'], ties: ['uses', 'imports'] }]);
  expect(spotsOn(within[0]!, 'prices.py').map((spot) => spot.line)).toEqual([5, 13]);
  expect(spotsOn(within[0]!, 'orders.py')).toEqual([]);
});

test('a name that a file defines itself means its own', () => {
  const twice = { ...map, importers: [], symbols: [...map.symbols, { fate: 'touched', base: null, head: { path: 'checkout.py', name: 'discounted', qualified: 'discounted' } }] } as ContextMap;
  expect(inside(twice, ['prices.py', 'checkout.py'])).toEqual([]);
});

test('a use hangs on the file that it resolved to, not on another that has the name', () => {
  const typescript = { fate: 'touched', base: null, head: { path: 'web/prices.ts', name: 'discounted', qualified: 'discounted' } };
  const used = { ...map.references[0]!, path: 'web/cart.ts', definition: 'web/prices.ts' };
  const both = { ...map, symbols: [...map.symbols, typescript], references: [used], importers: [], related_files: [] } as unknown as ContextMap;
  expect(neighbours(both, ['prices.py', 'web/prices.ts'])).toMatchObject([{ path: 'web/cart.ts', of: ['web/prices.ts'] }]);
  expect(inside(both, ['prices.py', 'web/prices.ts', 'web/cart.ts'])).toMatchObject([{ path: 'web/cart.ts', of: ['web/prices.ts'] }]);
});

test('nobody depends on itself', () => {
  const own = { ...map, references: [{ ...map.references[0]!, path: 'prices.py' }], importers: [] } as ContextMap;
  expect(inside(own, ['prices.py', 'checkout.py'])).toEqual([]);
});

test('what the change itself uses does not depend on it', () => {
  const used = { ...map, references: [], importers: [], related_files: [{ path: 'money.py', score: 1, reasons: [{ kind: 'imported_by', detail: 'is imported by prices.py', lines: [] }], symbols: [], tokens: 0 }] } as ContextMap;
  const [one] = neighbours(used, ['prices.py']);
  expect(one).toMatchObject({ path: 'money.py', ties: ['needed'], of: ['prices.py'] });
  expect(depends(one!)).toBe(false);
});
