import { describe, expect, test } from 'vitest';
import { choices, droppedOf, EVERYTHING, type FileChange, inDiff, lineAnchor, matches, nameOf, numbered, place, type Report, type Said, spotIn } from './findings';

const hunk = { old_start: 10, old_count: 3, new_start: 10, new_count: 3, heading: '', lines: [' a', '-b', '+c', ' d'], old_lacks_newline: false, new_lacks_newline: false };
const file = { path: 'a.py', old_path: null, status: 'modified', hunks: [hunk] } as unknown as FileChange;

function said(id: string, fields: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Said {
  const finding = { severity: 'high', category: 'correctness', file: 'a.py', line: 11, end_line: null, verification: { side: 'head' }, ...fields };
  return { id, fingerprint: id, status: 'verified', finding, view: { found_by: 'logic', agreed_by: [], withheld: null, ...more } } as unknown as Said;
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

test('a specialist that agreed counts as one who found it', () => {
  const shared = said('x', {}, { agreed_by: ['security'] });
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
  const shown = [said('a', {}, { found_by: 'ruff' }), said('b', {}, { agreed_by: ['ruff'] }), said('c', { severity: 'low' })];
  for (const [name, values] of Object.entries(choices(shown)))
    for (const [value, count] of values) expect(shown.filter((one) => matches(one, { ...EVERYTHING, [name]: [value] }))).toHaveLength(count);
});

test('what was dropped is counted by specialist', () => {
  const report = { diagnostics: [
    { code: 'finding_dropped', specialist: 'bandit', unlisted: {} },
    { code: 'finding_dropped', specialist: 'bandit', unlisted: { B602: 5, B101: 2 } },
    { code: 'finding_dropped', specialist: 'logic', unlisted: {} },
    { code: 'coercion_applied', specialist: 'bandit', unlisted: {} },
  ] } as unknown as Report;
  expect([droppedOf(report, 'bandit'), droppedOf(report, 'logic'), droppedOf(report, 'ruff')]).toEqual([8, 1, 0]);
});

test('the address of a line leads to that line, whatever its file is called', () => {
  const { finding } = said('a', { line: 12, file: 'a b/#é-1.py', verification: { side: 'base' } });
  const spot = spotIn(decodeURIComponent(lineAnchor(finding)));
  expect(spot).toEqual({ side: 'base', line: 12, path: 'a b/#é-1.py' });
  expect(spotIn('line-12')).toBeNull();
});

test('only a line that a hunk has is in the diff', () => {
  expect(inDiff([file], { side: 'head', line: 11, path: 'a.py' })?.key).toBe('I11');
  expect(inDiff([file], { side: 'base', line: 11, path: 'a.py' })?.key).toBe('D11');
  expect(inDiff([file], { side: 'head', line: 90, path: 'a.py' })).toBeNull();
});
