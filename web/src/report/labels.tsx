/** What people said of findings: valid, wrong or nit. The measured error rate is made of it. */
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import useSWR from 'swr';
import { get, send } from '../api/client';
import { useMay, useMe } from '../shell/session';
import { type Entry, isOvertaken, type Label, type Mark, markOf, pressed, whose, withMark } from './marks';
import { moment, oneLine } from './text';

export const LABELS: readonly Label[] = ['valid', 'wrong', 'nit'];

interface Labels {
  of: (id: string) => Mark | null;
  mark: (id: string, label: Label) => Promise<void>;
  mayMark: boolean;
  me: string;
  problem: Error | null;
}

const Context = createContext<Labels>({ of: () => null, mark: async () => undefined, mayMark: false, me: '', problem: null });

export function LabelsProvider({ address, children }: { address: string; children: ReactNode }) {
  const { data, mutate } = useSWR<{ labels: Entry[] }>(`${address}/labels`);
  const [problem, setProblem] = useState<Error | null>(null);
  const mayMark = useMay('submit');
  const me = useMe().me?.name ?? '';
  const known = data?.labels ?? [];
  // One after the other: what was pressed last must be said last.
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  const of = (id: string) => markOf(known, id);
  // What is shown changes at once and goes back if the service refuses.
  const mark = async (id: string, label: Label) => {
    const step = pressed(of(id), label, me);
    if (step === 'keep') return;
    const path = `${address}/findings/${encodeURIComponent(id)}/label`;
    const next = step === 'set' ? { label, by: me, at: new Date().toISOString() } : null;
    setProblem(null);
    try {
      await mutate(
        () => {
          const said = turn.current.then(async () => {
            const { labels } = await get<{ labels: Entry[] }>(`${address}/labels`);
            const theirs = markOf(labels, id);
            if (theirs && isOvertaken(of(id), theirs, me)) {
              setProblem(new Error(`Marked ${theirs.label} ${whose(theirs)}: nothing was changed. Look again, and mark it if you still want to.`));
              return { labels };
            }
            await (next ? send('PUT', path, { label }) : send('DELETE', path));
            return { labels: withMark(known, id, next) };
          });
          turn.current = said.catch(() => undefined);
          return said;
        },
        { optimisticData: { labels: withMark(known, id, next) }, rollbackOnError: true, revalidate: false },
      );
    } catch (error) {
      setProblem(error as Error);
    }
  };
  return <Context value={{ of, mark, mayMark, me, problem }}>{children}</Context>;
}

export function useLabels(): Labels {
  return useContext(Context);
}

export function LabelButtons({ id, title }: { id: string; title: string }) {
  const { of, mark, mayMark, me } = useLabels();
  const standing = of(id);
  const isTheirs = standing !== null && standing.by !== me;
  const owner = standing && isTheirs ? <span className="hint whose" title={moment(standing.at)}>{whose(standing)}</span> : null;
  if (!mayMark) return standing ? <><span className={`word label ${standing.label}`}>labelled {standing.label}</span> {owner}</> : null;
  const words = (one: Label) => `${WORDS[one]} (${one[0]})${standing?.label !== one ? '' : isTheirs ? `; marked so by ${oneLine(standing.by, 60)}, only another mark replaces it` : '; again takes it back'}`;
  return (
    <>
      <span className="labels" role="group" aria-label={`Is it right? ${title}`}>
        {LABELS.map((one) => (
          <button key={one} type="button" className={one} aria-pressed={standing?.label === one} onClick={() => void mark(id, one)} title={words(one)}>{one}</button>
        ))}
      </span>
      {owner}
    </>
  );
}

const WORDS: Record<Label, string> = {
  valid: 'True and worth acting on',
  wrong: 'Not true',
  nit: 'True, not worth anybody’s time',
};
