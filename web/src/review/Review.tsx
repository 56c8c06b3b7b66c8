/** `/review/:id`: watched while it runs, read when it is done. */
import { lazy } from 'react';
import useSWR from 'swr';
import { useParams } from 'wouter';
import { isOver, type Summary } from '../history/summary';
import { Alert, Waiting } from '../shell/Alert';
import { useTitle } from '../shell/title';
import { Watch } from './Watch';

const ReportPage = lazy(() => import('../report/ReportPage'));

export default function Review() {
  const params = useParams<{ id: string; '*'?: string }>();
  const id = params.id;
  const { data, error, mutate } = useSWR<Summary, Error>(`/api/review/${encodeURIComponent(id)}/summary`);
  useTitle(data?.title ?? 'Review');
  if (error && !data) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
  if (!data) return <Waiting what="Opening the review" />;
  if (data.status === 'completed') return <ReportPage summary={data} rest={params['*'] ?? ''} />;
  return <Watch key={`${id}-${data.attempt}`} summary={data} isOver={isOver(data)} refresh={() => void mutate()} />;
}
