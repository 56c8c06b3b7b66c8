import { expect, test } from 'vitest';
import { inFile, pathIn, searchIn } from './address';

test('a path goes into the query and comes back, with its filters and its place', () => {
  const address = inFile('/review/r1/finding/a b?severity=high#finding-x', '/review/r1');
  const { search, hash } = new URL(address, 'file:///tmp/report.html');
  expect(pathIn(search, '/')).toBe('/review/r1/finding/a%20b');
  expect([searchIn(search), hash]).toEqual(['severity=high', '#finding-x']);
});

test('filters alone stay on the page that they filter', () => {
  expect(inFile('?severity=low', '/review/r1/withheld')).toBe('?severity=low&at=%2Freview%2Fr1%2Fwithheld');
});

test('a file that was just opened shows its first page', () => {
  expect(pathIn('', '/review/r1')).toBe('/review/r1');
});
