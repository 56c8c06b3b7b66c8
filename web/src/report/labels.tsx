/** What people said of findings: valid, wrong or nit. The measured error rate is made of it. */
import { createContext, type ReactNode, useContext, useState } from 'react';
import useSWR from 'swr';
import { type Shape, send } from '../api/client';
import { useMay } from '../shell/session';

export type Label = 'valid' | 'wrong' | 'nit';
export const LABELS: readonly Label[] = ['valid', 'wrong', 'nit'];

type Entry = Pick<Shape<'FindingLabel'>, 'finding_id' | 'label'>;

interface Labels {
  of: (id: string) => Label | null;
  mark: (id: string, label: Label) => Promise<void>;
  mayMark: boolean;
  problem: Error | null;
}

const Context = createContext<Labels>({ of: () => null, mark: async () => undefined, mayMark: false, problem: null });

export function LabelsProvider({ address, children }: { address: string; children: ReactNode }) {
  const { data, mutate } = useSWR<{ labels: Entry[] }>(`${address}/labels`);
  const [problem, setProblem] = useState<Error | null>(null);
  const mayMark = useMay('submit');
  const of = (id: string) => data?.labels.find((one) => one.finding_id === id)?.label ?? null;
  // The same label again takes it away. What is shown changes at once and goes back if the service refuses.
  const mark = async (id: string, label: Label) => {
    const path = `${address}/findings/${encodeURIComponent(id)}/label`;
    const next = of(id) === label ? null : label;
    const others = (data?.labels ?? []).filter((one) => one.finding_id !== id);
    setProblem(null);
    try {
      await mutate(
        async () => {
          await (next ? send('PUT', path, { label: next }) : send('DELETE', path));
          return { labels: [...others, { finding_id: id, label: next }] };
        },
        { optimisticData: { labels: [...others, { finding_id: id, label: next }] }, rollbackOnError: true, revalidate: false },
      );
    } catch (error) {
      setProblem(error as Error);
    }
  };
  return <Context value={{ of, mark, mayMark, problem }}>{children}</Context>;
}

export function useLabels(): Labels {
  return useContext(Context);
}

export function LabelButtons({ id, title }: { id: string; title: string }) {
  const { of, mark, mayMark } = useLabels();
  const label = of(id);
  if (!mayMark) return label ? <span className={`word label ${label}`}>labelled {label}</span> : null;
  return (
    <span className="labels" role="group" aria-label={`Is it right? ${title}`}>
      {LABELS.map((one) => (
        <button key={one} type="button" className={one} aria-pressed={label === one} onClick={() => void mark(id, one)} title={`${WORDS[one]} (${one[0]})`}>{one}</button>
      ))}
    </span>
  );
}

const WORDS: Record<Label, string> = {
  valid: 'True and worth acting on',
  wrong: 'Not true',
  nit: 'True, not worth anybody’s time',
};
