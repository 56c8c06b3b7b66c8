import { expect, test } from 'vitest';
import { plain, plainAdvice, plainFault } from './words';

test('a field that does not fit is named as on the page, without the words of a schema', () => {
  expect(plainFault({ where: 'body.title', what: 'String should have at most 2000 characters' })).toBe('The title is too long: at most 2,000 characters.');
  expect(plainFault({ where: 'body.question', what: 'String should have at least 1 character' })).toBe('The question is empty.');
  expect(plainFault({ where: 'query.since', what: "String should match pattern '^\\\\d{4}-\\\\d{2}$'" })).toBe('The date is not written as expected.');
  expect(plainFault({ where: 'body', what: 'Value error, there is nothing to review: give one of diff_text' })).toBe('What was sent is refused: there is nothing to review: give one of the diff.');
});

test('names of the API become words', () => {
  expect(plain('diff_text is not a unified diff: no hunk')).toBe('the diff is not a unified diff: no hunk');
});

test('commands for the operator do not reach the user of the page', () => {
  expect(plain("there is no commit called 'x' here; this clone is shallow and may lack it: run `git fetch --unshallow` and try again")).toMatch(/^there is no commit called 'x' here; the service holds only the newest history/);
  expect(plainAdvice('Send the header `Authorization: Bearer TOKEN`; `affidavit token create` makes one.')).not.toMatch('Authorization');
});

test('advice for programs is left out, the rest of it stays', () => {
  expect(plainAdvice('See /openapi.json for what a request may have.')).toBe('');
  expect(plainAdvice('GET /api/repositories lists those it knows; the operator adds one with `affidavit repository add NAME PATH`.')).toBe(
    'the operator adds one with `affidavit repository add NAME PATH`.',
  );
  expect(plainAdvice('Send what `git diff` prints, whole.')).toBe('Send what `git diff` prints, whole.');
});
