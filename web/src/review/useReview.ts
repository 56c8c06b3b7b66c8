/** The state of a review from its stream: after a reload or a cut it is built again from the events. */
import { useEffect, useReducer, useState } from 'react';
import type { Problem } from '../api/problem';
import { type Link, listen } from '../api/stream';
import { idle, reduce, type ReviewState } from './state';

/** Another `attempt` listens anew: a stream that has told the end of one attempt is closed. */
export function useReview(reviewId: string, attempt: number): { state: ReviewState; link: Link; problem: Problem | null } {
  const [state, dispatch] = useReducer(reduce, reviewId, idle);
  const [link, setLink] = useState<Link>('connecting');
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    dispatch({ kind: 'opened', reviewId });
    void listen(
      `/api/review/${reviewId}/stream`,
      { heard: (events) => dispatch({ kind: 'heard', events }), link: setLink, refused: setProblem },
      stop.signal,
    );
    return () => stop.abort();
  }, [reviewId, attempt]);
  return { state, link, problem };
}
