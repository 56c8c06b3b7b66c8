import { expect, test } from 'vitest';
import { isOvertaken, type Mark, markOf, pressed, whose, withMark } from './marks';

const mark = (label: Mark['label'], by: string): Mark => ({ label, by, at: '2026-01-01T00:00:00Z' });

test('the same key takes back one’s own mark, and never somebody else’s', () => {
  expect(pressed(mark('valid', 'ada'), 'valid', 'ada')).toBe('remove');
  expect(pressed(mark('valid', 'ada'), 'valid', 'bob')).toBe('keep');
  expect(pressed(mark('valid', 'ada'), 'wrong', 'bob')).toBe('set');
  expect(pressed(null, 'wrong', 'bob')).toBe('set');
});

test('a mark that somebody else has set meanwhile is seen before it is replaced', () => {
  expect(isOvertaken(null, mark('valid', 'ada'), 'bob')).toBe(true);
  expect(isOvertaken(mark('valid', 'bob'), mark('wrong', 'ada'), 'bob')).toBe(true);
  expect(isOvertaken(mark('wrong', 'ada'), mark('wrong', 'ada'), 'bob')).toBe(false);
  expect(isOvertaken(null, mark('valid', 'bob'), 'bob')).toBe(false);
});

test('a finding has one mark, with whose it is', () => {
  const both = withMark([{ finding_id: 'a', ...mark('nit', 'ada') }], 'a', mark('wrong', 'bob'));
  expect([markOf(both, 'a')?.label, markOf(withMark(both, 'a', null), 'a')]).toEqual(['wrong', null]);
  expect(whose(mark('nit', 'e\u202eve'))).toMatch(/^by e<U\+202E>ve, /);
});
