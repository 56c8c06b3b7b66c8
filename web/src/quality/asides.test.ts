import { expect, test } from 'vitest';
import type { Shape } from '../api/client';
import { alarm, leftOut } from './asides';

const nothing = { unheard: 0, unheard_from: {}, withheld_labelled: 0, withheld_valid: 0, unreadable: 0, absences: { unsearched: [] as string[] } } as unknown as Shape<'Quality'>;

test('whose word counts in no rate is named, but not all of a crowd, and no name turns the line around', () => {
  const crowd = Object.fromEntries(['eve\u202e', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name} on host`, 1]));
  expect(leftOut({ ...nothing, unheard: 6, unheard_from: crowd })).toEqual([
    'Not counted: 6 findings labelled by the author of a change or without write access (eve<U+202E> on host, b on host, c on host, d on host, e on host, …).',
  ]);
});

test('what people called valid and was withheld is said', () => {
  expect(leftOut({ ...nothing, withheld_labelled: 3, withheld_valid: 1 })).toEqual(['Of 3 withheld findings that people labelled, 1 is valid: withheld wrongly.']);
});

test('where there is nothing to say, nothing is said', () => {
  expect(leftOut(nothing)).toEqual([]);
  expect(alarm(nothing)).toBe('');
  expect(alarm({ absences: { ...nothing.absences, unsearched: ['r1 a.py:3'] } })).toContain('1 absence claim was shown without a search that ran');
});
