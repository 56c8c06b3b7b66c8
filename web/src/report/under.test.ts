import { expect, test } from 'vitest';
import { type Candidate, type FileChange, inDiff } from './findings';
import { codeAt, isJudged, lineAnchor, lines, spotIn, under } from './under';

function one(id: string, line: number, fields: object = {}, finding: object = {}): Candidate {
  return { id, specialist: 'ruff', kind: 'mechanical', judgements: [], carried: null, withheld: null, finding: { file: 'a.py', line, rule_id: 'ruff/F821', title: 'undefined', severity: 'high', verification: { side: 'head' }, ...finding }, ...fields } as unknown as Candidate;
}

const of = (leader: string) => ({ withheld: { code: 'duplicate_of', detail: leader } });

test('further lines of the same rule and other accounts are told apart, in the order of the file', () => {
  const found = under([
    one('lead', 3), one('c', 40, of('lead')), one('b', 12, of('lead')), one('b2', 12, of('lead')),
    one('x', 5, { ...of('lead'), specialist: 'logic', kind: 'model' }, { rule_id: null, file: 'b.py' }), one('lost', 9, of('nobody')), one('nit', 9, { withheld: { code: 'nit', detail: 'lead' } }),
  ]);
  expect([...found.keys()]).toEqual(['lead']);
  expect(lines(found.get('lead')!.places).map((place) => place.finding.line)).toEqual([12, 40]);
  expect(found.get('lead')!.accounts.map((account) => [account.id, isJudged(account)])).toEqual([['x', false]]);
});

const model = { specialist: 'logic', kind: 'model' };

test('another title in the same file is a place of its own, and the same line is none', () => {
  const found = under([one('lead', 3), one('b', 9, of('lead'), { title: 'other' }), one('c', 3, of('lead'))]);
  expect(found.get('lead')).toMatchObject({ places: [], elsewhere: [{ id: 'b' }], accounts: [{ id: 'c' }] });
});

test('two findings of a model have no rule in common', () => {
  const found = under([one('lead', 3, model, { rule_id: null }), one('b', 9, { ...of('lead'), ...model }, { rule_id: null })]);
  expect(found.get('lead')).toMatchObject({ places: [], accounts: [{ id: 'b' }] });
});

test('where the machine proved the same is a place with its code, once and worst first; what others say of it is an account', () => {
  const quote = { code: 'import lib\n  return lib.helper(1)', start: 4 };
  const found = under([
    one('lead', 1), one('low', 9, of('lead'), { file: 'a.md', rule_id: 'other', severity: 'low' }), one('b', 5, { ...of('lead'), quote }, { file: 'b.py', rule_id: 'other' }),
    one('a-ty', 5, { ...of('lead'), specialist: 'ty' }, { file: 'b.py' }), one('ty', 6, { ...of('lead'), specialist: 'ty' }, { file: 'b.py' }), one('twin', 1, { ...of('lead'), specialist: 'ty' }),
  ]);
  const { places, elsewhere, accounts } = found.get('lead')!;
  expect([places, elsewhere, accounts].map((group) => group.map(({ id }) => id))).toEqual([[], ['b', 'ty', 'low'], ['twin', 'a-ty']]);
  expect(codeAt(elsewhere[0]!)).toEqual({ code: 'return lib.helper(1)' });
  expect(codeAt(one('c', 9, { quote: null }) as never)).toEqual({ title: 'undefined' });
});

test('the address of a line leads to that line, whatever its file is called', () => {
  const { finding } = one('a', 12, {}, { file: 'a b/#é-1.py', verification: { side: 'base' } });
  const spot = spotIn(decodeURIComponent(lineAnchor(finding!)));
  expect(spot).toEqual({ side: 'base', line: 12, path: 'a b/#é-1.py' });
  expect(spotIn('line-12')).toBeNull();
});

test('only a line that a hunk has is in the diff', () => {
  const hunk = { old_start: 10, old_count: 2, new_start: 10, new_count: 2, heading: '', lines: [' a', '-b', '+c'], old_lacks_newline: false, new_lacks_newline: false };
  const file = { path: 'a.py', old_path: null, status: 'modified', hunks: [hunk] } as unknown as FileChange;
  expect(inDiff([file], { side: 'head', line: 11, path: 'a.py' })?.key).toBe('I11');
  expect(inDiff([file], { side: 'base', line: 11, path: 'a.py' })?.key).toBe('D11');
  expect(inDiff([file], { side: 'head', line: 90, path: 'a.py' })).toBeNull();
});
