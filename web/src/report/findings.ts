/** A report's findings by what is done with them: order, anchors, filters, and where each stands in the diff. */
import type { Shape } from '../api/client';

export type Report = Shape<'Report'>;
export type Candidate = Shape<'Candidate'>;
export type Finding = Shape<'Finding'>;
export type FileChange = Shape<'FileChange'>;
export type Hunk = Shape<'Hunk'>;
export type Severity = Finding['severity'];

export type View = Shape<'ReportView'>;
export type FindingView = Shape<'FindingView'>;

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];

/** A candidate with how it is shown. */
export interface Listed extends Candidate {
  view: FindingView;
}

export interface Said extends Listed {
  finding: Finding;
}

export interface Choice {
  severity: string[];
  category: string[];
  status: string[];
  specialist: string[];
}

export const EVERYTHING: Choice = { severity: [], category: [], status: [], specialist: [] };

export function isShown(candidate: Listed): candidate is Said {
  return candidate.view.withheld === null;
}

export function finder(specialist: string): string {
  return specialist.split('@')[0] ?? specialist;
}

export function matches(candidate: Said, choice: Choice): boolean {
  const holds = (chosen: string[], value: string) => chosen.length === 0 || chosen.includes(value);
  return (
    holds(choice.severity, candidate.finding.severity) &&
    holds(choice.category, candidate.finding.category) &&
    holds(choice.status, candidate.status) &&
    (choice.specialist.length === 0 ||
      [candidate.view.found_by, ...candidate.view.agreed_by].some((name) => choice.specialist.includes(name)))
  );
}

/** What can be chosen, with how many findings each choice has. */
export function choices(shown: readonly Said[]): Record<keyof Choice, [string, number][]> {
  const count = (values: string[]): [string, number][] => [
    ...values.reduce((counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1), new Map<string, number>()),
  ];
  const bySeverity = (one: [string, number], other: [string, number]) =>
    SEVERITIES.indexOf(one[0] as Severity) - SEVERITIES.indexOf(other[0] as Severity);
  return {
    severity: count(shown.map((one) => one.finding.severity)).sort(bySeverity),
    category: count(shown.map((one) => one.finding.category)).sort(),
    status: count(shown.map((one) => one.status)).sort(),
    specialist: count(shown.flatMap((one) => [one.view.found_by, ...one.view.agreed_by])).sort(),
  };
}

/** How many findings of a specialist were dropped, by the contract or before they were handed in. */
export function droppedOf(report: Pick<Report, 'diagnostics'>, specialist: string): number {
  const notes = report.diagnostics.filter((one) => one.code === 'finding_dropped' && one.specialist === specialist);
  return notes.reduce((sum, one) => sum + (Object.values(one.unlisted).reduce((all, count) => all + count, 0) || 1), 0);
}

export function sideOf(finding: Finding): 'head' | 'base' {
  return finding.verification?.side ?? 'head';
}

function pathAt(file: FileChange, side: 'head' | 'base'): string | null {
  if (side === 'head') return file.status === 'deleted' ? null : file.path;
  return file.status === 'added' || file.status === 'copied' ? null : (file.old_path ?? file.path);
}

export interface Placed {
  /** Findings at a line of the diff: by file, then by the key of the line. */
  atLines: Map<FileChange, Map<string, Said[]>>;
  /** Findings in a changed file, outside its hunks. */
  beside: Map<FileChange, Said[]>;
  /** Findings in files that the change does not touch. */
  elsewhere: Map<string, Said[]>;
}

/** Where each finding is drawn: below the last of its lines that the diff has. */
export function place(files: readonly FileChange[], shown: readonly Said[]): Placed {
  const placed: Placed = { atLines: new Map(), beside: new Map(), elsewhere: new Map() };
  for (const candidate of shown) {
    const { finding } = candidate;
    const side = sideOf(finding);
    const file = files.find((one) => pathAt(one, side) === finding.file);
    if (!file) {
      add(placed.elsewhere, finding.file, candidate);
      continue;
    }
    const key = keyOf(file, side, finding.line, finding.end_line ?? finding.line);
    if (key === null) add(placed.beside, file, candidate);
    else {
      const lines = placed.atLines.get(file) ?? new Map<string, Said[]>();
      placed.atLines.set(file, lines);
      add(lines, key, candidate);
    }
  }
  return placed;
}

function add<Key>(map: Map<Key, Said[]>, key: Key, candidate: Said): void {
  map.set(key, [...(map.get(key) ?? []), candidate]);
}

/** The key of the last of some lines that a file's hunks have. */
function keyOf(file: FileChange, side: 'head' | 'base', first: number, last: number): string | null {
  let found: string | null = null;
  for (const hunk of file.hunks) {
    for (const line of numbered(hunk)) {
      const number = side === 'head' ? line.new : line.old;
      if (number !== null && number >= first && number <= last) found = lineKey(line);
    }
  }
  return found;
}

/** The key of a line, as the diff viewer builds it. */
export function lineKey(line: NumberedLine): string {
  return line.mark === '+' ? `I${line.new}` : line.mark === '-' ? `D${line.old}` : `N${line.old}`;
}

/** One line of one side. */
export interface Spot {
  side: 'head' | 'base';
  line: number;
  path: string;
}

/** Where a line stands in the diff; null: in none of its hunks. */
export function inDiff(files: readonly FileChange[], { side, line, path }: Spot): { file: FileChange; key: string } | null {
  const file = files.find((one) => pathAt(one, side) === path);
  const key = file && keyOf(file, side, line, line);
  return file && key ? { file, key } : null;
}

export interface NumberedLine {
  mark: string;
  old: number | null;
  new: number | null;
  text: string;
}

export function* numbered(hunk: Hunk): Generator<NumberedLine> {
  // A side without lines names the line before the hunk, so counting starts after it.
  let old = hunk.old_start + Number(hunk.old_count === 0);
  let fresh = hunk.new_start + Number(hunk.new_count === 0);
  for (const line of hunk.lines) {
    const mark = line[0] ?? ' ';
    yield { mark, old: mark === '+' ? null : old, new: mark === '-' ? null : fresh, text: line.slice(1) };
    if (mark !== '+') old += 1;
    if (mark !== '-') fresh += 1;
  }
}

/** What a change is called: by its title, a diff without one by its files. */
export function nameOf({ title, target, source, files }: Report['change']): string {
  const others = files.length - 1;
  if (title || source !== 'diff' || others < 0) return title || target;
  return others ? `${files[0]!.path} and ${others} more file${others > 1 ? 's' : ''}` : files[0]!.path;
}

export function lineTotals(files: readonly FileChange[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const file of files)
    for (const hunk of file.hunks)
      for (const line of hunk.lines) {
        if (line[0] === '+') added += 1;
        else if (line[0] === '-') removed += 1;
      }
  return { added, removed };
}

/** The address of a line of the diff within its page. */
export function lineAnchor(finding: Finding): string {
  return `line-${sideOf(finding)}-${finding.line}-${encodeURIComponent(finding.file)}`;
}

/** What such an address names; `anchor` is decoded. */
export function spotIn(anchor: string): Spot | null {
  const found = /^line-(head|base)-(\d{1,9})-(.+)$/s.exec(anchor);
  return found ? { side: found[1] as Spot['side'], line: Number(found[2]), path: found[3]! } : null;
}
