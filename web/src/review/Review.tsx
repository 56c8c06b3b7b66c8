/** `/review/:id`: watched while it runs, read when it is done. */
import { lazy } from 'react';
import useSWR from 'swr';
import { Link, useParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { isGone } from '../api/gone';
import { Problem } from '../api/problem';
import { isOver, type Summary } from '../history/summary';
import { Alert, Waiting } from '../shell/Alert';
import { NoSuchPage } from '../shell/NoSuchPage';
import { useTitle } from '../shell/title';
import { type Arrival, WasThere } from './Again';
import { Watch } from './Watch';

const ReportPage = lazy(() => import('../report/ReportPage'));

export default function Review() {
  const params = useParams<{ id: string; '*'?: string }>();
  const id = params.id;
  const address = `/api/review/${encodeURIComponent(id)}`;
  const isDeleted = isGone(address);
  const { data, error, mutate } = useSWR<Summary, Error>(isDeleted ? null : `${address}/summary`);
  const wasThere = useHistoryState<Arrival | null>()?.wasThere === true;
  useTitle(data?.title ?? 'Review');
  if (isDeleted) return <div className="frame history"><h1>This review was deleted</h1><p>What is left is in the <Link href="/history">history</Link>.</p></div>;
  if (error instanceof Problem && !data && [404, 422].includes(error.status)) return <NoSuchPage what="review" />;
  if (error && !data) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
  if (!data) return <Waiting what="Opening the review" />;
  const isDone = data.status === 'completed';
  return (
    <>
      {wasThere ? <WasThere summary={data} /> : null}
      {isDone ? <ReportPage summary={data} rest={params['*'] ?? ''} /> : <Watch key={`${id}-${data.attempt}`} summary={data} isOver={isOver(data)} refresh={() => void mutate()} />}
    </>
  );
}
