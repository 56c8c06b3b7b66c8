/** A review as it happens: stages, who is at work, findings as they appear, what it costs, a way out. */
import { useEffect, useMemo, useState } from 'react';
import { Link as Anchor } from 'wouter';
import { send } from '../api/client';
import type { Link } from '../api/stream';
import type { Summary } from '../history/summary';
import { money, oneLine, seconds } from '../report/text';
import { Alert } from '../shell/Alert';
import { useMay } from '../shell/session';
import { Deletion } from './Deletion';
import { Sightings } from './Sightings';
import { Stages } from './Stages';
import { tell } from './story';
import { useReview } from './useReview';
import { Workers } from './Workers';

interface Props {
  summary: Summary;
  isOver: boolean;
  refresh: () => void;
}

export function Watch({ summary, isOver, refresh }: Props) {
  const [attempt, setAttempt] = useState(0);
  const { state, link, problem } = useReview(summary.review_id, attempt);
  const story = useMemo(() => tell(state.events), [state.events]);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const maySubmit = useMay('submit');
  const hasEnded = state.stage === 'complete' || state.stage === 'error';
  useEffect(() => {
    if (hasEnded) refresh();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once per stage, not per render
  }, [state.stage]);
  const act = async (path: string) => {
    setRefusal(null);
    try {
      await send('POST', path);
      refresh();
      if (path.endsWith('/retry')) setAttempt((number) => number + 1);
    } catch (error) {
      setRefusal(error as Error);
    }
  };
  const address = `/api/review/${summary.review_id}`;
  const cancelledBy = story.cancelledBy ?? (summary.status === 'cancelled' ? /^cancelled by (.+)$/.exec(summary.reason ?? '')?.[1] ?? 'somebody' : null);
  return (
    <div className="frame watch">
      <header className="watch-head">
        <div>
          <h1>{oneLine(summary.title || summary.repository || 'A diff')}</h1>
          <p className="soft">{oneLine(headline(summary, state.stage, state.activeAgent), 200)}</p>
        </div>
        <div className="buttons">
          {maySubmit && !isOver && !hasEnded ? <button type="button" className="danger" onClick={() => void act(`${address}/cancel`)}>Cancel</button> : null}
          {maySubmit && isOver ? <button type="button" className="primary" onClick={() => void act(`${address}/retry`)}>Try again from there</button> : null}
          {isOver ? <Deletion reviewId={summary.review_id} title={summary.title || 'A diff'} /> : null}
        </div>
      </header>
      {refusal ? <Alert problem={refusal} /> : null}
      {problem ? <Alert problem={problem} /> : null}
      {cancelledBy ? (
        <div className="stopped" role="status"><strong>Cancelled by {oneLine(cancelledBy, 80)}.</strong> What had been found until then is below; nobody judged the rest.{maySubmit ? ' It can go on from where it stopped.' : ''}</div>
      ) : state.error || isOver ? (
        <div className="alarm" role="alert">
          <strong>The review could not be finished.</strong>{' '}
          {oneLine(state.error ?? summary.reason ?? '', 1_000)}
          <p className="hint">What was found so far is below. Nothing here is an approval.</p>
        </div>
      ) : null}
      <Stages stage={state.stage} events={state.events} activeTool={state.activeTool} isCancelled={cancelledBy !== null} />
      <Ticker story={story} link={link} isOver={isOver || hasEnded} summary={summary} />
      <div className="columns wide">
        <Sightings sightings={story.sightings} isOver={hasEnded} />
        <Workers workers={story.workers} />
      </div>
      {isOver ? <p><Anchor href="/history">Back to the history</Anchor></p> : null}
    </div>
  );
}

function headline(summary: Summary, stage: string, agent: string | null): string {
  const where = [summary.repository, summary.base && summary.head ? `${short(summary.base)}..${short(summary.head)}` : ''].filter(Boolean).join(' ');
  const now = agent ? `the ${agent} is at work` : stage === 'idle' && summary.status === 'queued' ? 'waiting for its turn' : summary.status;
  return [where, now].filter(Boolean).join(' · ');
}

const short = (revision: string) => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 8) : revision);

const LINKS: Record<Link, string> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost, trying again',
  closed: 'finished',
};

function Ticker({ story, link, isOver, summary }: { story: ReturnType<typeof tell>; link: Link; isOver: boolean; summary: Summary }) {
  const elapsed = useElapsed(story.startedAt ?? summary.started_at, isOver ? (story.endedAt ?? summary.finished_at) : null);
  const refuted = story.sightings.filter((one) => one.status === 'false_positive').length;
  const standing = story.sightings.length - refuted;
  return (
    <dl className="ticker">
      <div><dt>Time</dt><dd>{elapsed === null ? '–' : seconds(elapsed)}</dd></div>
      <div><dt>{isOver ? 'Findings' : 'Findings so far'}</dt><dd>{standing}{refuted ? <small> and {refuted} refuted</small> : null}</dd></div>
      <div><dt>Tokens</dt><dd>{story.tokens.toLocaleString('en')}</dd></div>
      <div><dt>Cost</dt><dd>{story.tokens ? money(story.costUsd) : '$0'}</dd></div>
      <div><dt>Stream</dt><dd className={`link ${link}`}><span role="status">{LINKS[isOver && link !== 'lost' ? 'closed' : link]}</span></dd></div>
    </dl>
  );
}

function useElapsed(start: string | null, end: string | null): number | null {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!start || end) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [start, end]);
  return start ? Math.max(0, (end ? new Date(end).valueOf() : now) - new Date(start).valueOf()) : null;
}
