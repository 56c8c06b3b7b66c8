import { expect, test } from 'vitest';
import type { Candidate, Hunk } from './findings';
import { guiltyPart, howShown, packageWords, patchWords, stepWords } from './proof';

test('a patch is called by how it fared, as in the HTML report', () => {
  expect(patchWords({ patch_trial: null })).toMatch('nobody has tried');
  expect(patchWords({ patch_trial: { steps: [], holds: true } })).toBe('A patch that was tried and holds');
  const inPart = { steps: [{ name: 'tests' as const, passed: null, detail: '' }], holds: true };
  expect(patchWords({ patch_trial: inPart })).toBe('A patch that holds as far as it was tried (not tried: tests)');
  expect(patchWords({ patch_trial: { steps: [], holds: false } })).toMatch('fails');
  expect([true, false, null].map(stepWords)).toEqual(['passed', 'failed', 'not tried']);
});

test('a quote of a package that was not found says so', () => {
  expect(packageWords({ outcome: 'not_found' } as Parameters<typeof packageWords>[0])).toBe('the quote does not stand there.');
});

test('it is said whether a problem was run, proven or only read', () => {
  const shown = (fields: object) => howShown({ kind: 'model', specialist: 'logic', judgements: [], carried: null, reproduction: null, finding: null, ...fields } as unknown as Candidate);
  expect(shown({})).toBe('only read, not run');
  expect(shown({ reproduction: { outcome: 'reproduced' } })).toMatch(/^shown by running a program/);
  expect(shown({ reproduction: { outcome: 'flaky' } })).toBe('only read; its program does not do the same twice');
  expect(shown({ judgements: [{ judgment: 'CONFIRMED', run: {} }] })).toBe('shown by a program that the verifier ran');
  expect(shown({ kind: 'mechanical', specialist: 'ruff', finding: { rule_id: 'ruff/F821' } })).toBe('proven by an analyser (ruff F821), new with this change');
});

test('of a long hunk the lines around the name that it changes are shown, with what is left out', () => {
  const lines = [...Array.from({ length: 60 }, (_, index) => ` line ${index}`), '+def price(item):', ...Array.from({ length: 60 }, () => ' more')];
  const hunk = { old_start: 1, old_count: 120, new_start: 1, new_count: 121, heading: '', lines } as unknown as Hunk;
  const shown = guiltyPart([hunk], 'price');
  expect([shown[0], shown[1], shown.at(-1)]).toEqual(['@@ -1,120 +1,121 @@', '  … 50 lines before', '  … 31 more lines']);
  expect(shown).toContain('+def price(item):');
  expect(guiltyPart([{ ...hunk, lines: lines.slice(0, 3) }], '')).toHaveLength(4);
});
