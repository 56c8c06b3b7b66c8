/** The diff with its findings, the files, the filters; keys to walk through them. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useKeys } from '../shell/keys';
import { toggleTheme } from '../shell/theme';
import { DiffList, type DiffHandle } from './DiffList';
import { Filters } from './Filters';
import { FileTree } from './FileTree';
import { EVERYTHING, inDiff, matches, place, spotIn } from './findings';
import { choiceIn, withChoice } from './choice';
import { FindingIndex } from './FindingIndex';
import { Keys } from './Keys';
import { useLabels } from './labels';
import { layOut, readingOrder } from './layout';
import { proofAddress, type Reading } from './reading';
import { useSetting } from './setting';
import { counted, decoded } from './text';

export function FindingsView({ reading }: { reading: Reading }) {
  const { report, shown, anchors } = reading;
  const [params, setParams] = useSearchParams();
  const choice = useMemo(() => choiceIn(params), [params]);
  const [view, setView] = useSetting<'unified' | 'split'>('affidavit.view', 'unified');
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => new Set());
  const [current, setCurrent] = useState<string | null>(null);
  const [isHelping, setHelping] = useState(false);
  const [isLost, setLost] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null);
  const labels = useLabels();
  const [, go] = useLocation();
  const list = useRef<DiffHandle>(null);
  const chosen = useMemo(() => shown.filter((one) => matches(one, choice)), [shown, choice]);
  const placed = useMemo(() => place(report.change.files, chosen), [report, chosen]);
  const further = useMemo(() => shown.flatMap(({ view: one }) => [...one.lines, ...one.places]).flatMap(({ id }) => reading.known.get(id)?.finding ?? []), [shown, reading.known]);
  const items = useMemo(() => layOut(report, placed, closed, further), [report, placed, closed, further]);
  const order = useMemo(() => readingOrder(report, placed), [report, placed]);

  const jump = useCallback((id: string) => {
    const candidate = order.find((one) => one.id === id);
    if (!candidate) return;
    setCurrent(id);
    setClosed((before) => (before.has(candidate.finding.file) ? without(before, candidate.finding.file) : before));
    history.replaceState(history.state, '', `#${anchors.get(id)}`);
    // After the file has been opened, so that the card is in the list.
    setTimeout(() => list.current?.show(id), 0);
  }, [order, anchors]);

  const toLine = (anchor: string) => {
    const spot = spotIn(anchor);
    const found = spot && inDiff(report.change.files, spot);
    if (!found) return;
    setClosed((before) => (before.has(found.file.path) ? without(before, found.file.path) : before));
    setTimeout(() => list.current?.showLine(found.file, found.key), 0);
  };

  useEffect(() => {
    const follow = () => {
      const anchor = decoded(location.hash.slice(1));
      const id = [...anchors].find(([, name]) => name === anchor)?.[0];
      setLost(!id && anchor.startsWith('finding-'));
      if (id && !shown.some((one) => one.id === id)) go(proofAddress(reading, id), { replace: true });
      else if (id) setWanted(id);
      else if (anchor.startsWith('file-')) list.current?.showFile(anchor.slice(5));
      else if (spotIn(anchor)) toLine(anchor);
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once the report is there
  }, [anchors]);

  // A link leads to its finding, whatever filters came with it.
  useEffect(() => {
    if (wanted === null) return;
    if (order.some((one) => one.id === wanted)) {
      setWanted(null);
      jump(wanted);
    } else if (Object.values(choice).some((values) => values.length)) setParams((before) => withChoice(before, EVERYTHING), { replace: true });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each that is wanted, and again when the filters are gone
  }, [wanted, order]);

  const move = (by: number) => {
    if (!order.length) return;
    const at = order.findIndex((one) => one.id === current);
    const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length;
    jump(order[next]!.id);
  };
  const file = order.find((one) => one.id === current)?.finding.file ?? report.change.files[0]?.path;
  const toggle = (path: string) => setClosed((before) => (before.has(path) ? without(before, path) : new Set([...before, path])));
  const toggleAll = () => setClosed((before) => (before.size ? new Set() : new Set(report.change.files.map((one) => one.path))));
  const turn = (next: 'unified' | 'split') => {
    if (next === view) return;
    list.current?.keepPlace(current);
    setView(next);
  };
  const mark = (label: 'valid' | 'wrong' | 'nit') => current && labels.mayMark && void labels.mark(current, label);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    o: () => file && toggle(file),
    f: toggleAll,
    p: () => current && go(proofAddress(reading, current)),
    s: () => turn(view === 'split' ? 'unified' : 'split'),
    v: () => mark('valid'),
    w: () => mark('wrong'),
    n: () => mark('nit'),
    t: toggleTheme,
    '?': () => setHelping(true),
  });
  const at = order.findIndex((one) => one.id === current);
  return (
    <div className="reading">
      <aside className="rail" aria-label="Files and filters">
        <Filters shown={shown} choice={choice} change={(next) => setParams((before) => withChoice(before, next), { replace: true })} />
        <FileTree reading={reading} placed={placed} show={(path) => list.current?.showFile(path)} />
      </aside>
      <div className="stack">
        {isLost ? <p className="alarm" role="alert"><strong>This report has no finding at that address.</strong> It may belong to another review of the same change.</p> : null}
        <FindingIndex reading={reading} chosen={chosen} current={current} jump={jump} />
        {labels.problem ? <p className="alarm" role="alert">{labels.problem.message}</p> : null}
        <div className="toolbar" role="toolbar" aria-label="Diff">
          <button type="button" onClick={() => move(-1)} disabled={!order.length} title="Previous finding (k)">↑ Previous</button>
          <span className="position" role="status">{order.length ? `${at < 0 ? '–' : at + 1} of ${counted(order.length, 'finding')}` : 'No findings'}</span>
          <button type="button" onClick={() => move(1)} disabled={!order.length} title="Next finding (j)">↓ Next</button>
          <span className="grow" />
          <span className="segments small" role="group" aria-label="View">
            <button type="button" aria-pressed={view === 'unified'} onClick={() => turn('unified')}>Unified</button>
            <button type="button" aria-pressed={view === 'split'} onClick={() => turn('split')} title="Side by side (s)">Side by side</button>
          </span>
          <button type="button" onClick={toggleAll} title="Open or close every file (f)">{closed.size ? 'Open files' : 'Close files'}</button>
          <button type="button" onClick={() => setHelping(true)} aria-haspopup="dialog" title="Keys (?)">Keys</button>
        </div>
        {isHelping ? <Keys mayMark={labels.mayMark} close={() => setHelping(false)} /> : null}
        <DiffList ref={list} items={items} view={view} current={current} choose={setCurrent} toggle={toggle} closed={closed} />
      </div>
    </div>
  );
}

function without(set: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const next = new Set(set);
  next.delete(one);
  return next;
}
