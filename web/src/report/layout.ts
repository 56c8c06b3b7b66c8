/** The diff as a list of pieces that are drawn only while they are seen: headers, runs of lines, cards. */
import { type FileChange, type Finding, type Hunk, lineKey, numbered, type Placed, type Report, type Said } from './findings';

/** A run of lines is drawn as a whole; longer ones would make scrolling jump. */
export const PIECE_LINES = 24;

export type Item =
  | { kind: 'heading'; key: string; text: string }
  | { kind: 'file'; key: string; file: FileChange; findings: number; coverage: string; isClosed: boolean }
  | { kind: 'untouched'; key: string; path: string; findings: number }
  | { kind: 'card'; key: string; candidate: Said; withQuote: true }
  | { kind: 'note'; key: string; text: string }
  | { kind: 'piece'; key: string; file: FileChange; hunk: Hunk; start: number; end: number; isFirst: boolean; isUnseen: boolean; cards: Map<string, Said[]>; guilty: Set<string>; ids: string[]; titles: string[]; height: number };

export function layOut(report: Report, placed: Placed, closed: ReadonlySet<string>, further: readonly Finding[] = []): Item[] {
  const items: Item[] = [];
  if (placed.elsewhere.size) items.push({ kind: 'heading', key: 'h-elsewhere', text: 'Outside the change' });
  for (const [path, group] of placed.elsewhere) {
    items.push({ kind: 'untouched', key: `u-${path}`, path, findings: group.length });
    for (const candidate of group) items.push({ kind: 'card', key: `c-${candidate.id}`, candidate, withQuote: true });
  }
  if (placed.elsewhere.size) items.push({ kind: 'heading', key: 'h-diff', text: 'Diff' });
  report.change.files.forEach((file, number) => addFile(items, report, placed, file, number, closed.has(file.path), further));
  return items;
}

function addFile(items: Item[], report: Report, placed: Placed, file: FileChange, number: number, isClosed: boolean, further: readonly Finding[]): void {
  const beside = placed.beside.get(file) ?? [];
  const lines = placed.atLines.get(file) ?? new Map<string, Said[]>();
  const coverage = report.coverage.find((one) => one.path === file.path);
  const findings = beside.length + [...lines.values()].reduce((sum, group) => sum + group.length, 0);
  items.push({ kind: 'file', key: `f-${number}`, file, findings, coverage: coverageWord(coverage), isClosed });
  if (isClosed) return;
  for (const candidate of beside) items.push({ kind: 'card', key: `c-${candidate.id}`, candidate, withQuote: true });
  if (!file.hunks.length) items.push({ kind: 'note', key: `n-${number}`, text: noLines(file) });
  const standing = [...beside, ...lines.values()].flat();
  const near = further.filter((one) => [file.path, file.old_path].includes(one.file));
  const guilty = guiltyLines([...standing.map((one) => one.finding), ...near]);
  file.hunks.forEach((hunk, at) => {
    const isUnseen = coverage !== undefined && coverage.state !== 'skipped' && coverage.hunks[at]?.examined_by.length === 0 && !coverage.hunks[at]?.parts.length;
    const carded = cardsByRow(hunk, lines);
    for (let start = 0; start < hunk.lines.length; start += PIECE_LINES) {
      const end = Math.min(start + PIECE_LINES, hunk.lines.length);
      const cards = carded.filter(([row]) => row >= start && row < end).flatMap(([, group]) => group);
      const height = (end - start) * LINE + (start === 0 ? 26 : 0) + cards.reduce((sum, one) => sum + cardHeight(one), 0);
      items.push({ kind: 'piece', key: `p-${number}-${at}-${start}`, file, hunk, start, end, isFirst: start === 0, isUnseen, cards: lines, guilty, ids: cards.map((one) => one.id), titles: cards.map((one) => one.finding.title), height });
    }
  });
}

const LINE = 20;

/** About how high a card will be; the list looks again when it is drawn. */
export function cardHeight(candidate: Said): number {
  return candidate.view.is_folded ? 60 : 250;
}

function cardsByRow(hunk: Hunk, lines: Map<string, Said[]>): [number, Said[]][] {
  if (!lines.size) return [];
  const found: [number, Said[]][] = [];
  let row = 0;
  for (const line of numbered(hunk)) {
    const cards = lines.get(lineKey(line));
    if (cards) found.push([row, cards]);
    row += 1;
  }
  return found;
}

function coverageWord(coverage: Report['coverage'][number] | undefined): string {
  if (!coverage || coverage.state === 'examined') return '';
  const word = { partly: 'looked at in part', not_examined: 'nobody looked at this', skipped: 'skipped' }[coverage.state];
  return coverage.reason ? `${word}: ${coverage.reason.replaceAll('_', ' ')}` : word;
}

function noLines(file: FileChange): string {
  if (file.is_binary) return 'A binary file: no lines to show.';
  if (file.status === 'renamed') return `Renamed from ${file.old_path ?? ''}; no line differs.`;
  return file.old_mode !== file.new_mode && file.old_mode && file.new_mode ? `Its mode went from ${file.old_mode} to ${file.new_mode}.` : 'No lines to show.';
}

/** Head lines as `+12`, base lines as `-12`. */
function guiltyLines(findings: Finding[]): Set<string> {
  const guilty = new Set<string>();
  for (const finding of findings) {
    const mark = finding.verification?.side === 'base' ? '-' : '+';
    const last = Math.min(finding.end_line ?? finding.line, finding.line + 200);
    for (let line = finding.line; line <= last; line++) guilty.add(`${mark}${line}`);
  }
  return guilty;
}

/** Findings in the order in which a reader meets them. */
export function readingOrder(report: Report, placed: Placed): Said[] {
  const order = [...placed.elsewhere.values()].flat();
  for (const file of report.change.files) {
    order.push(...(placed.beside.get(file) ?? []));
    const lines = [...(placed.atLines.get(file) ?? new Map<string, Said[]>()).values()].flat() as Said[];
    order.push(...lines.sort((one, other) => (one.finding.end_line ?? one.finding.line) - (other.finding.end_line ?? other.finding.line)));
  }
  return order;
}

/** Which piece has a line of a file; -1: none. */
export function pieceWith(items: readonly Item[], file: FileChange, key: string): number {
  return items.findIndex((item) => {
    if (item.kind !== 'piece' || item.file !== file) return false;
    const row = [...numbered(item.hunk)].findIndex((line) => lineKey(line) === key);
    return row >= item.start && row < item.end;
  });
}
