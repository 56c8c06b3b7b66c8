/** A run of lines of one hunk, with syntax colours and the cards of its findings. */
import { memo, useEffect, useMemo, useState } from 'react';
import { Diff, Hunk as DiffHunk, type HunkData, type HunkTokens, type RenderToken } from 'react-diff-view';
import { Card } from './Card';
import { colour } from './colours';
import type { FileChange, Hunk } from './findings';
import { lineKey, numbered } from './findings';
import type { Item } from './layout';
import { whenResting } from './pace';
import { codeLine, isCut, oneLine, wholeLine } from './text';
import { useOpened, WholeLine } from './WholeLine';

interface Props {
  item: Item & { kind: 'piece' };
  view: 'unified' | 'split';
  current: string | null;
  choose: (id: string) => void;
}

type Change = HunkData['changes'][number];

export const Piece = memo(function Piece({ item, view, current, choose }: Props) {
  const { file, hunk, start, end } = item;
  const plain = cutOnce(hunk, start, end);
  const lines = useMemo(() => (view === 'split' ? zipped(plain) : plain), [plain, view]);
  const coloured = useTokens(plain, file);
  const [opened, open] = useOpened();
  const long = useMemo(() => longLines(hunk, start, end), [hunk, start, end]);
  const tokens = useMemo(() => (long.size ? uncoloured(plain, long, opened) : coloured), [plain, long, opened, coloured]);
  const renderToken: RenderToken = (token, draw, index) =>
    token.type === 'cut' ? <WholeLine key={index} line={long.get(token.name as string)!} open={() => open(token.name as string)} /> : draw(token, index);
  const widgets = useMemo(() => {
    const found: Record<string, React.ReactNode> = {};
    for (const change of lines.changes) {
      const key = keyOf(change);
      const cards = item.cards.get(key);
      if (cards) found[key] = cards.map((one) => <Card key={one.id} candidate={one} isCurrent={current === one.id} choose={choose} />);
    }
    return found;
  }, [lines, item.cards, current, choose]);
  return (
    <>
      {item.isFirst ? <p className="hunk-head">{oneLine(lines.content, 200)}{item.isUnseen ? <span className="word blocks">nobody looked at this</span> : null}</p> : null}
      <Diff
        viewType={view}
        diffType={diffType(file)}
        hunks={[lines]}
        tokens={tokens}
        renderToken={renderToken}
        widgets={widgets}
        className={`lines ${file.status}`}
        generateLineClassName={({ changes, defaultGenerate }) => `${defaultGenerate()} ${changes.some((one) => isGuilty(one, item.guilty)) ? 'guilty' : ''}`}
      >
        {(hunks) => hunks.map((one) => <DiffHunk key={one.content} hunk={one} />)}
      </Diff>
      {end === hunk.lines.length && (hunk.new_lacks_newline || hunk.old_lacks_newline) ? <p className="hunk-head">{newline(hunk)}</p> : null}
    </>
  );
});

function cut(hunk: Hunk, start: number, end: number): HunkData {
  const changes: Change[] = [];
  let index = -1;
  for (const line of numbered(hunk)) {
    index += 1;
    if (index < start) continue;
    if (index >= end) break;
    const content = codeLine(line.text);
    if (line.mark === '+') changes.push({ type: 'insert', isInsert: true, lineNumber: line.new!, content });
    else if (line.mark === '-') changes.push({ type: 'delete', isDelete: true, lineNumber: line.old!, content });
    else changes.push({ type: 'normal', isNormal: true, oldLineNumber: line.old!, newLineNumber: line.new!, content });
  }
  const content = `@@ −${hunk.old_start},${hunk.old_count} +${hunk.new_start},${hunk.new_count} @@ ${hunk.heading}`;
  return { content, oldStart: hunk.old_start, oldLines: hunk.old_count, newStart: hunk.new_start, newLines: hunk.new_count, changes };
}

/** The very long lines of a run, by the key that the viewer gives each line. */
function longLines(hunk: Hunk, start: number, end: number): Map<string, string> {
  const found = new Map<string, string>();
  let index = -1;
  for (const line of numbered(hunk)) {
    index += 1;
    if (index < start || index >= end || !isCut(line.text)) continue;
    found.set(lineKey(line), line.text);
  }
  return found;
}

/** Lines as the viewer draws them where one is too long for colours: with a way to its end. */
function uncoloured(lines: HunkData, long: Map<string, string>, opened: ReadonlySet<string>): HunkTokens {
  const tokens: HunkTokens = { old: [], new: [] };
  for (const change of lines.changes) {
    const name = keyOf(change);
    const whole = long.get(name);
    const isOpen = opened.has(name);
    const text = { type: 'text', value: whole !== undefined && isOpen ? wholeLine(whole) : change.content };
    const nodes = whole === undefined || isOpen ? [text] : [text, { type: 'cut', name }];
    if (change.type !== 'insert') tokens.old[(change.type === 'normal' ? change.oldLineNumber : change.lineNumber) - 1] = nodes;
    if (change.type !== 'delete') tokens.new[(change.type === 'normal' ? change.newLineNumber : change.lineNumber) - 1] = nodes;
  }
  return tokens;
}

/** Beside a removed line stands the added line that took its place: the viewer puts neighbours side by side. */
function zipped(lines: HunkData): HunkData {
  const changes: Change[] = [];
  let removed: Change[] = [];
  let added: Change[] = [];
  const flush = () => {
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      if (removed[row]) changes.push(removed[row]!);
      if (added[row]) changes.push(added[row]!);
    }
    removed = [];
    added = [];
  };
  for (const change of lines.changes) {
    if (change.type === 'delete') {
      if (added.length) flush();
      removed.push(change);
    } else if (change.type === 'insert') added.push(change);
    else {
      flush();
      changes.push(change);
    }
  }
  flush();
  return { ...lines, changes };
}

function keyOf(change: Change): string {
  if (change.type === 'insert') return `I${change.lineNumber}`;
  return change.type === 'delete' ? `D${change.lineNumber}` : `N${change.oldLineNumber}`;
}

function isGuilty(change: Change | undefined, guilty: Set<string>): boolean {
  if (!change) return false;
  if (change.type === 'insert') return guilty.has(`+${change.lineNumber}`);
  if (change.type === 'delete') return guilty.has(`-${change.lineNumber}`);
  return guilty.has(`+${change.newLineNumber}`) || guilty.has(`-${change.oldLineNumber}`);
}

function diffType(file: FileChange): 'add' | 'delete' | 'modify' | 'rename' | 'copy' {
  return ({ added: 'add', deleted: 'delete', modified: 'modify', renamed: 'rename', copied: 'copy' } as const)[file.status];
}

function newline(hunk: Hunk): string {
  if (hunk.old_lacks_newline && hunk.new_lacks_newline) return 'No newline at the end of the file.';
  return hunk.new_lacks_newline ? 'The change leaves out the newline at the end of the file.' : 'The change adds a newline at the end of the file.';
}

const painted = new WeakMap<HunkData, HunkTokens | null>();

/** Colours come when the reader rests: what is scrolled past stays plain. */
function useTokens(lines: HunkData, file: FileChange): HunkTokens | null {
  const [tokens, setTokens] = useState<HunkTokens | null>(() => painted.get(lines) ?? null);
  useEffect(() => {
    let isGone = false;
    const paint = async () => {
      const found = painted.get(lines) ?? (await colour(lines, file));
      painted.set(lines, found);
      if (!isGone) setTokens(found);
    };
    const callOff = whenResting(() => void paint());
    return () => {
      isGone = true;
      callOff();
    };
  }, [lines, file]);
  return tokens;
}

const pieces = new WeakMap<Hunk, Map<number, HunkData>>();

/** The same object for the same lines, so that a piece that comes back into view has its colours. */
function cutOnce(hunk: Hunk, start: number, end: number): HunkData {
  const known = pieces.get(hunk) ?? new Map<number, HunkData>();
  pieces.set(hunk, known);
  const lines = known.get(start) ?? cut(hunk, start, end);
  known.set(start, lines);
  return lines;
}
