/** Deleting a review, once it is sure that this is wanted. */
import { useState } from 'react';
import { useSWRConfig } from 'swr';
import { useLocation } from 'wouter';
import { remove } from '../api/client';
import { oneLine } from '../report/text';
import { Alert } from '../shell/Alert';
import { Dialog } from '../shell/Dialog';
import { useMay } from '../shell/session';

export function Deletion({ reviewId, title }: { reviewId: string; title: string }) {
  const mayDelete = useMay('submit');
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { mutate } = useSWRConfig();
  const [, go] = useLocation();
  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await remove(`/api/review/${encodeURIComponent(reviewId)}`);
      // What was read of it before must not come back.
      await mutate((key) => typeof key === 'string' && key.includes('/api/review'), undefined, { revalidate: false });
      go('/history');
    } catch (error) {
      setProblem(error as Error);
      setBusy(false);
    }
  };
  if (!mayDelete) return null;
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>Delete</button>
      {isAsking ? (
        <Dialog title="Delete this review?" close={() => setAsking(false)}>
          <p><strong>{oneLine(title, 120)}</strong></p>
          <p>Its report, its events, and the labels that people gave its findings are gone for good, and no longer count in the measured quality.</p>
          {problem ? <Alert problem={problem} /> : null}
          <div className="buttons">
            <button type="button" autoFocus onClick={() => setAsking(false)}>Keep it</button>
            <button type="button" className="danger" disabled={isBusy} onClick={() => void confirm()}>{isBusy ? 'Deleting …' : 'Delete it for good'}</button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
