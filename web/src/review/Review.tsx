/** `/review/:id`: watched while it runs, read when it is done. */
import { lazy } from 'react';
import useSWR from 'swr';
import { Link, useParams } from 'wouter';
import { isGone } from '../api/gone';
import { isOver, type Summary } from '../history/summary';
import { Alert, Waiting } from '../shell/Alert';
import { useTitle } from '../shell/title';
import { Watch } from './Watch';

const ReportPage = lazy(() => import('../report/ReportPage'));

export default function Review() {
  const params = useParams<{ id: string; '*'?: string }>();
  const id = params.id;
  const address = `/api/review/${encodeURIComponent(id)}`;
  const isDeleted = isGone(address);
  const { data, error, mutate } = useSWR<Summary, Error>(isDeleted ? null : `${address}/summary`);
  useTitle(data?.title ?? 'Review');
  if (isDeleted) return <div className="frame history"><h1>This review was deleted</h1><p>What is left is in the <Link href="/history">history</Link>.</p></div>;
  if (error && !data) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
  if (!data) return <Waiting what="Opening the review" />;
  if (data.status === 'completed') return <ReportPage summary={data} rest={params['*'] ?? ''} />;
  return <Watch key={`${id}-${data.attempt}`} summary={data} isOver={isOver(data)} refresh={() => void mutate()} />;
}
