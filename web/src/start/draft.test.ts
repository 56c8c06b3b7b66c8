import { expect, test } from 'vitest';
import { bodyOf, EMPTY, missing, requestField } from './draft';

const options = { focus_areas: [], severity_threshold: 'info', include_style: true };

test('the address of a request says which forge it is of', () => {
  expect(requestField('https://github.com/o/r/pull/1')).toBe('github_url');
  expect(requestField(' https://gitlab.example/g/r/-/merge_requests/2 ')).toBe('gitlab_url');
  expect(requestField('javascript:alert(1)')).toBeNull();
  expect(requestField('https://github.com/o/r')).toBeNull();
});

test('one source is sent, whatever was typed into the other fields', () => {
  const draft = { ...EMPTY, source: 'request' as const, diff: 'x', url: 'https://github.com/o/r/pull/1', title: ' T ' };
  expect(bodyOf(draft, options)).toEqual({ github_url: 'https://github.com/o/r/pull/1', title: 'T', options });
});

test('what is missing is said before anything is sent', () => {
  expect(missing(EMPTY)).toMatch(/diff/);
  expect(missing({ ...EMPTY, source: 'repository', repository: 'shop', base: 'main' })).toMatch(/revisions/);
  expect(missing({ ...EMPTY, diff: 'diff --git' })).toBeNull();
});
