/** The table of compared behaviour in words: the same order and the same words as in the other formats. */
import type { Shape } from '../api/client';
import type { Report } from './findings';
import { counted } from './text';

type Row = Shape<'BehaviourRow'>;

export interface Probed {
  row: Row;
  words: string;
  run: Shape<'ProbeRun'> | null;
}

/** One and several of them, in the order in which they are counted. */
const WORDS: Record<Row['state'], [string, string]> = {
  alike: ['alike', 'alike'],
  announced: ['differs as announced', 'differ as announced'],
  reported: ['differs (a finding)', 'differ (findings)'],
  differs: ['differs unexplained', 'differ unexplained'],
  flaky: ['not the same twice', 'not the same twice'],
  could_not_run: ['could not be run', 'could not be run'],
};
const READ_FIRST: readonly Row['state'][] = ['reported', 'differs', 'announced', 'flaky', 'could_not_run', 'alike'];

export function counting(rows: readonly Row[]): string {
  const said = Object.entries(WORDS).flatMap(([state, [one, several]]) => {
    const count = rows.filter((row) => row.state === state).length;
    return count ? [`${count} ${count > 1 ? several : one}`] : [];
  });
  return `${counted(rows.length, 'probe')}: ${said.join(', ')}.`;
}

/** Every probe, those that differ first, with what it did. */
export function probes({ behaviour, inputs }: Pick<Report, 'behaviour' | 'inputs'>): Probed[] {
  const runs = (inputs?.replies ?? []).flatMap((reply) => reply.probes.map((run) => ({ specialist: reply.specialist, run })));
  const runOf = (row: Row) => runs.find((one) => one.specialist === row.specialist && one.run.name === row.name)?.run ?? null;
  return [...behaviour]
    .sort((one, other) => READ_FIRST.indexOf(one.state) - READ_FIRST.indexOf(other.state))
    .map((row) => ({ row, words: WORDS[row.state][0], run: runOf(row) }));
}
