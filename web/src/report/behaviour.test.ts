import { expect, test } from 'vitest';
import { counting, probes } from './behaviour';
import type { Report } from './findings';

const row = (name: string, state: string) => ({ specialist: 'experimenter', name, state, announced: '', candidate: '' });
const report = {
  behaviour: [row('same', 'alike'), row('other', 'differs'), row('too', 'alike')],
  inputs: { replies: [{ specialist: 'experimenter', probes: [{ name: 'other', program: { language: 'python', text: 'print(1)', files: [] }, base: [], head: [] }] }] },
} as unknown as Report;

test('what differs without a reason is read first, with its program', () => {
  expect(probes(report).map((one) => [one.row.name, one.words, one.run?.program.text ?? ''])).toEqual([
    ['other', 'differs unexplained', 'print(1)'], ['same', 'alike', ''], ['too', 'alike', ''],
  ]);
  expect(counting(report.behaviour)).toBe('3 probes: 2 alike, 1 differs unexplained.');
});
