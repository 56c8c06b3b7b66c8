/** Asking for a new review of what was reviewed before. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type Shape, send } from '../api/client';
import type { Summary } from '../history/summary';
import { moment } from '../report/text';
import { Alert } from '../shell/Alert';
import { useMay } from '../shell/session';

export function Again({ reviewId, isPrimary = false }: { reviewId: string; isPrimary?: boolean }) {
  const maySubmit = useMay('submit');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const [, go] = useLocation();
  const ask = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const { review_id: id } = await send<Shape<'Submitted'>>('POST', `/api/review/${encodeURIComponent(reviewId)}/again`);
      go(`/review/${id}`);
    } catch (error) {
      setProblem(error as Error);
      setBusy(false);
    }
  };
  if (!maySubmit) return null;
  return (
    <>
      <button type="button" className={isPrimary ? 'primary' : ''} disabled={isBusy} onClick={() => void ask()} title="A new review of the same change, with the same options; this one stays">{isBusy ? 'One moment …' : 'Review again'}</button>
      {problem ? <Alert problem={problem} takesFocus /> : null}
    </>
  );
}

/** How somebody came to a page who asked for a review and was led to one that was there. */
export interface Arrival {
  wasThere?: boolean;
}

export function WasThere({ summary }: { summary: Summary }) {
  const isDone = summary.status === 'completed';
  return (
    <div className={isDone ? 'frame wide' : 'frame'}>
      <div className="stopped was-there" role="status">
        <strong>{isDone ? 'This change was reviewed already' : 'This change was asked for already'}, on {moment(summary.finished_at ?? summary.created_at)}.</strong>{' '}
        {isDone ? 'This is that review; nothing was started.' : 'This is that review.'} {isDone ? <Again reviewId={summary.review_id} /> : null}
      </div>
    </div>
  );
}
