import { expect, test } from 'vitest';
import { type ContextMap, neighbours } from './graph';

const map = {
  symbols: [{ fate: 'touched', base: null, head: { path: 'prices.py', name: 'discounted', qualified: 'discounted' } }],
  references: [{ symbol: 'discounted', path: 'checkout.py', line: 13, text: 'discounted(price)', verification_method: 'searched', certainty: 'certain' }],
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
