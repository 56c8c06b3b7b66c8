/** The list of pieces; only what is near the window is in the page. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type Ref, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Card } from './Card';
import { type FileChange, lineTotals } from './findings';
import { Glimpse } from './Glimpse';
import { holdOn, type KeptPlace, noted } from './keptPlace';
import { cardHeight, type Item, pieceWith } from './layout';
import { useIsDrawn } from './pace';
import { Piece } from './Piece';
import { counted, oneLine } from './text';

export interface DiffHandle {
  show: (candidateId: string) => void;
  showFile: (path: string) => void;
  showLine: (file: FileChange, key: string) => void;
  /** Before the view changes: what the reader looks at stays where it is, and so does the focus. */
  keepPlace: (candidateId: string | null) => void;
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
const SMALL = 80;
/** What comes in full flight is drawn only when the reader rests. */
const PATIENCE_FRAMES = 120;

export function DiffList({ items, view, current, choose, toggle, ref }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const kept = useRef<KeptPlace | null>(null);
  const turn = useRef(0);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const look = () => box.current && setMargin(Math.round(box.current.getBoundingClientRect().top + window.scrollY));
    look();
    // What stands above may grow: a fold is opened, a line wraps.
    const watch = new ResizeObserver(look);
    for (let element = box.current?.previousElementSibling; element; element = element.previousElementSibling) watch.observe(element);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => estimate(items[index]!),
    getItemKey: (index) => items[index]!.key,
    overscan: items.length <= SMALL ? items.length : 3,
    scrollMargin: margin,
    scrollPaddingStart: 110,
  });
  const settle = (index: number, find: () => Element | null, then: (element: HTMLElement) => void) => {
    if (index < 0) return;
    virtual.scrollToIndex(index, { align: 'start' });
    // Heights are known only once a piece was drawn: look again until the place stands still.
    let tries = 0;
    const mine = ++turn.current;
    const look = () => {
      // Whoever goes on to the next one is not led back to the one before.
      if (turn.current !== mine) return;
      const element = find();
      if (element) {
        element.scrollIntoView({ block: 'center' });
        then(element as HTMLElement);
      } else if (!box.current?.querySelector(`[data-index="${index}"]`)) virtual.scrollToIndex(index, { align: 'start' });
      if (++tries < (element ? 3 : PATIENCE_FRAMES)) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
  useImperativeHandle(ref, () => ({
    show: (id) => {
      let from = document.activeElement;
      settle(items.findIndex((item) => holds(item, id)), () => box.current?.querySelector(`[data-finding="${CSS.escape(id)}"]`) ?? null, (element) => {
        const active = document.activeElement;
        // Whoever has gone on to something else meanwhile is not called back.
        if (active !== from && active !== document.body && active?.id !== 'main') return;
        element.focus({ preventScroll: true });
        from = element;
      });
    },
    showFile: (path) => {
      const index = items.findIndex((item) => (item.kind === 'file' && item.file.path === path) || (item.kind === 'untouched' && item.path === path));
      if (index >= 0) virtual.scrollToIndex(index, { align: 'start' });
    },
    showLine: (file, key) => {
      const index = pieceWith(items, file, key);
      settle(index, () => box.current?.querySelector(`[data-index="${index}"] .diff-code[data-change-key="${key}"]`) ?? null, (element) => {
        element.tabIndex = -1;
        element.focus({ preventScroll: true });
      });
    },
    keepPlace: (id) => {
      kept.current = noted(box.current, id);
    },
  }));
  useLayoutEffect(() => {
    const place = kept.current;
    kept.current = null;
    return place ? holdOn(place, box) : undefined;
  }, [view]);
  return (
    <div ref={box} className="diff-list" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((row) => {
        const item = items[row.index]!;
        return (
          <div key={row.key} data-index={row.index} ref={virtual.measureElement} className={`row a-${item.kind}`} style={{ transform: `translateY(${row.start - margin}px)` }}>
            <Drawn item={item} height={row.size} view={view} current={current} choose={choose} toggle={toggle} />
          </div>
        );
      })}
    </div>
  );
}

function holds(item: Item, id: string): boolean {
  if (item.kind === 'card') return item.candidate.id === id;
  return item.kind === 'piece' && item.ids.includes(id);
}

function estimate(item: Item): number {
  if (item.kind === 'piece') return item.height;
  if (item.kind === 'card') return cardHeight(item.candidate) + 60;
  return item.kind === 'heading' ? 56 : 50;
}

type DrawnProps = Pick<Props, 'view' | 'current' | 'choose' | 'toggle'> & { item: Item; height: number };

function Drawn({ item, height, view, current, choose, toggle }: DrawnProps) {
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
      return <Lines item={item} height={height} view={view} current={current} choose={choose} />;
  }
}

function Lines({ item, height, ...shown }: Omit<DrawnProps, 'item' | 'toggle'> & { item: Item & { kind: 'piece' } }) {
  const isDrawn = useIsDrawn(shown.current !== null && item.ids.includes(shown.current));
  return isDrawn ? <Piece item={item} {...shown} /> : <Glimpse item={item} height={height} />;
}

function FileHead({ item, toggle }: { item: Item & { kind: 'file' }; toggle: (path: string) => void }) {
  const { file } = item;
  const { added, removed } = useMemo(() => lineTotals([file]), [file]);
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
