import { describe, expect, test } from 'vitest';
import { anchors, type Candidate, choices, countDropped, droppedOf, EVERYTHING, type FileChange, matches, nameOf, numbered, ordered, place, type Report, type Said, setAside } from './findings';

const hunk = { old_start: 10, old_count: 3, new_start: 10, new_count: 3, heading: '', lines: [' a', '-b', '+c', ' d'], old_lacks_newline: false, new_lacks_newline: false };
const file = { path: 'a.py', old_path: null, status: 'modified', hunks: [hunk] } as unknown as FileChange;

function said(id: string, fields: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Said {
  const finding = { severity: 'high', category: 'correctness', file: 'a.py', line: 11, end_line: null, verification: { side: 'head' }, ...fields };
  return { id, fingerprint: id, specialist: 'logic@2', agreed_by: [], status: 'verified', worth: 'act', folded: false, withheld: null, reproduction: null, finding, ...more } as unknown as Said;
}

describe('a finding is drawn', () => {
  test('below the line of its side', () => {
    const removed = said('x', { verification: { side: 'base' } });
    expect([...place([file], [said('y')]).atLines.get(file)!.keys()]).toEqual(['I11']);
    expect([...place([file], [removed]).atLines.get(file)!.keys()]).toEqual(['D11']);
  });

  test('below the last of its lines that the diff has', () => {
    expect([...place([file], [said('x', { line: 5, end_line: 40 })]).atLines.get(file)!.keys()]).toEqual(['N12']);
  });

  test('on top of its file where no hunk has its line', () => {
    expect(place([file], [said('x', { line: 90 })]).beside.get(file)).toHaveLength(1);
  });

  test('outside the change where the change has not got its file', () => {
    expect([...place([file], [said('x', { file: 'b.py' })]).elsewhere.keys()]).toEqual(['b.py']);
  });
});

test('lines are counted as in the record of a hunk', () => {
  expect([...numbered(hunk)].map((line) => [line.old, line.new])).toEqual([[10, 10], [11, null], [null, 11], [12, 12]]);
  const added = { ...hunk, old_start: 0, old_count: 0, new_start: 1, new_count: 1, lines: ['+a'] };
  expect([...numbered(added)][0]).toMatchObject({ old: null, new: 1 });
});

test('the worst comes first, and what was reproduced leads among equals', () => {
  const shown = [said('low', { severity: 'low' }), said('b'), said('a', {}, { reproduction: { outcome: 'reproduced' } }), said('c', { severity: 'critical' })];
  expect(ordered(shown).map((one) => one.id)).toEqual(['c', 'a', 'b', 'low']);
});

test('no two findings have one address', () => {
  const twice = anchors([said('1', {}, { fingerprint: 'a/b' }), said('2', {}, { fingerprint: 'a/b' }), said('3', {}, { fingerprint: '' })] as Candidate[]);
  expect([...twice.values()]).toEqual(['finding-a-b', 'finding-a-b-2', 'finding-without-fingerprint']);
});

test('a specialist that agreed counts as one who found it', () => {
  const shared = said('x', {}, { agreed_by: ['security@1'] });
  expect(matches(shared, { ...EVERYTHING, specialist: ['security'] })).toBe(true);
  expect(matches(shared, { ...EVERYTHING, specialist: ['ruff'] })).toBe(false);
});

test('a diff without a title is called by its files, not by its digest', () => {
  const change = (title: string, ...paths: string[]) => ({ title, target: 'diff-3f2a', source: 'diff', files: paths.map((path) => ({ path })) }) as unknown as Report['change'];
  expect(nameOf(change('', 'app.py', 'b.py', 'c.py'))).toBe('app.py and 2 more files');
  expect(nameOf(change('', 'app.py'))).toBe('app.py');
  expect(nameOf(change('Typed', 'app.py'))).toBe('Typed');
});

test('a choice says as many as it leaves', () => {
  const shown = [said('a', {}, { specialist: 'ruff' }), said('b', {}, { agreed_by: ['ruff', 'logic@1'] }), said('c', { severity: 'low' })];
  for (const [name, values] of Object.entries(choices(shown)))
    for (const [value, count] of values) expect(shown.filter((one) => matches(one, { ...EVERYTHING, [name]: [value] }))).toHaveLength(count);
});

test('what was dropped is counted by specialist, and listed where no candidate stands for it', () => {
  const report = { diagnostics: [
    { code: 'finding_dropped', specialist: 'bandit', index: null, detail: 'B602' },
    { code: 'finding_dropped', specialist: 'bandit', index: null, detail: 'and 7 more', unlisted: { B602: 5, B101: 2 } },
    { code: 'finding_dropped', specialist: 'logic', index: 0, detail: 'no title' },
    { code: 'coercion_applied', specialist: 'bandit', index: null, detail: '' },
  ] } as unknown as Report;
  expect(setAside(report).map((one) => one.detail)).toEqual(['B602', 'and 7 more']);
  expect(countDropped(setAside(report))).toBe(8);
  expect([droppedOf(report, 'bandit'), droppedOf(report, 'logic'), droppedOf(report, 'ruff')]).toEqual([8, 1, 0]);
});
