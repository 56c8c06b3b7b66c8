import { expect, test } from 'vitest';
import { pageOf } from './arrival';

test('the tabs of a report are one page, each proof is its own', () => {
  expect(pageOf('/review/r1/withheld')).toBe(pageOf('/review/r1'));
  expect(pageOf('/review/r1/finding/a')).not.toBe(pageOf('/review/r1/finding/b'));
  expect(pageOf('/review/r1/finding/a')).not.toBe(pageOf('/review/r1'));
  expect(pageOf('/history')).not.toBe(pageOf('/'));
});
