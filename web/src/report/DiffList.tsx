/** The list of pieces; only what is near the window is in the page. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { Card } from './Card';
import { isFolded } from './findings';
import type { Item } from './layout';
import { Piece } from './Piece';
import { counted, oneLine } from './text';

export interface DiffHandle {
  show: (candidateId: string) => void;
  showFile: (path: string) => void;
}

interface Props {
  items: Item[];
  view: 'unified' | 'split';
  current: string | null;
  closed: ReadonlySet<string>;
  choose: (id: string) => void;
  toggle: (path: string) => void;
  ref: Ref<DiffHandle>;
}

/** A diff of up to this many pieces is in the page as a whole, so that the browser's own search finds all of it. */
const SMALL = 60;

export function DiffList({ items, view, current, choose, toggle, ref }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const top = box.current ? box.current.getBoundingClientRect().top + window.scrollY : 0;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => estimate(items[index]!, view),
    getItemKey: (index) => items[index]!.key,
    overscan: items.length <= SMALL ? items.length : 4,
    scrollMargin: margin,
    scrollPaddingStart: 110,
  });
  const settle = (index: number, find: () => Element | null, then: (element: HTMLElement) => void) => {
    if (index < 0) return;
    virtual.scrollToIndex(index, { align: 'start' });
    // Heights are known only once a piece was drawn: look again until the place stands still.
    let tries = 0;
    const look = () => {
      const element = find();
      if (element) {
        element.scrollIntoView({ block: 'center' });
        then(element as HTMLElement);
      } else virtual.scrollToIndex(index, { align: 'start' });
      if (++tries < (element ? 3 : 20)) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
  useImperativeHandle(ref, () => ({
    show: (id) =>
      settle(items.findIndex((item) => holds(item, id)), () => box.current?.querySelector(`[data-finding="${CSS.escape(id)}"]`) ?? null, (element) =>
        element.focus({ preventScroll: true })),
    showFile: (path) => {
      const index = items.findIndex((item) => (item.kind === 'file' && item.file.path === path) || (item.kind === 'untouched' && item.path === path));
      if (index >= 0) virtual.scrollToIndex(index, { align: 'start' });
    },
  }));
  return (
    <div ref={box} className="diff-list" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((row) => {
        const item = items[row.index]!;
        return (
          <div key={row.key} data-index={row.index} ref={virtual.measureElement} className={`row ${item.kind}`} style={{ transform: `translateY(${row.start - margin}px)` }}>
            <Drawn item={item} view={view} current={current} choose={choose} toggle={toggle} />
          </div>
        );
      })}
    </div>
  );
}

function holds(item: Item, id: string): boolean {
  if (item.kind === 'card') return item.candidate.id === id;
  if (item.kind !== 'piece') return false;
  return pieceKeys(item).some((key) => item.cards.get(key)?.some((one) => one.id === id));
}

/** The keys of the lines of a piece that have cards. */
export function pieceKeys(item: Item & { kind: 'piece' }): string[] {
  if (!item.cards.size) return [];
  let old = item.hunk.old_start + Number(item.hunk.old_count === 0);
  let fresh = item.hunk.new_start + Number(item.hunk.new_count === 0);
  const keys: string[] = [];
  for (let index = 0; index < item.end; index++) {
    const mark = item.hunk.lines[index]![0];
    const key = mark === '+' ? `I${fresh}` : mark === '-' ? `D${old}` : `N${old}`;
    if (index >= item.start && item.cards.has(key)) keys.push(key);
    if (mark !== '+') old += 1;
    if (mark !== '-') fresh += 1;
  }
  return keys;
}

function estimate(item: Item, view: 'unified' | 'split'): number {
  switch (item.kind) {
    case 'piece': {
      const cards = pieceKeys(item).flatMap((key) => item.cards.get(key) ?? []);
      const lines = item.end - item.start;
      return lines * 20 * (view === 'split' ? 0.8 : 1) + (item.isFirst ? 26 : 0) + cards.reduce((sum, one) => sum + (isFolded(one) ? 50 : 230), 0);
    }
    case 'card':
      return isFolded(item.candidate) ? 60 : 300;
    default:
      return item.kind === 'heading' ? 56 : 42;
  }
}

function Drawn({ item, view, current, choose, toggle }: { item: Item; view: 'unified' | 'split'; current: string | null; choose: (id: string) => void; toggle: (path: string) => void }) {
  switch (item.kind) {
    case 'heading':
      return <h2>{item.text}</h2>;
    case 'note':
      return <p className="empty-note">{oneLine(item.text)}</p>;
    case 'untouched':
      return <div className="file-head"><span className="path">{oneLine(item.path)}</span> <span className="word">not changed</span> <span className="word blocks">{counted(item.findings, 'finding')}</span></div>;
    case 'card':
      return <Card candidate={item.candidate} withQuote isCurrent={current === item.candidate.id} choose={choose} />;
    case 'file':
      return <FileHead item={item} toggle={toggle} />;
    case 'piece':
      return <Piece item={item} view={view} current={current} choose={choose} />;
  }
}

function FileHead({ item, toggle }: { item: Item & { kind: 'file' }; toggle: (path: string) => void }) {
  const { file } = item;
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  const added = lines.filter((line) => line[0] === '+').length;
  const removed = lines.filter((line) => line[0] === '-').length;
  return (
    <h3 className={`file-head ${item.isClosed ? 'closed' : ''}`}>
      <button type="button" aria-expanded={!item.isClosed} onClick={() => toggle(file.path)}>
        <span className="chevron" aria-hidden="true" />
        <span className="path">{file.old_path && file.old_path !== file.path ? `${oneLine(file.old_path)} → ` : ''}{oneLine(file.path)}</span>
      </button>
      {file.status !== 'modified' ? <span className="word">{file.status}</span> : null}
      {item.findings ? <span className="word blocks">{counted(item.findings, 'finding')}</span> : null}
      {item.coverage ? <span className="word">{oneLine(item.coverage)}</span> : null}
      <span className="size"><b className="plus">+{added}</b> <b className="minus">−{removed}</b></span>
    </h3>
  );
}
