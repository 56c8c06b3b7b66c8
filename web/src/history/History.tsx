/** Past reviews: search, filters, and where each stands. */
import { useDeferredValue, useEffect, useState } from 'react';
import useSWRInfinite from 'swr/infinite';
import { Link, useSearchParams } from 'wouter';
import { ago, counted, money, moment, oneLine, seconds } from '../report/text';
import { Alert, Waiting } from '../shell/Alert';
import { useMe } from '../shell/session';
import { useTitle } from '../shell/title';
import { type Page, stateWord, type Summary, VERDICTS } from './summary';

const FILTERS = ['search', 'status', 'verdict', 'repository'] as const;

export default function History() {
  useTitle('History');
  const { me } = useMe();
  const [params, setParams] = useSearchParams();
  const [search, setSearch] = useState(params.get('search') ?? '');
  const typed = useDeferredValue(search);
  const query = new URLSearchParams(FILTERS.flatMap((name) => (params.get(name) ? [[name, params.get(name)!]] : [])));
  const key = (_: number, before: Page | null): string | null => {
    if (before && !before.next_cursor) return null;
    const page = new URLSearchParams(query);
    page.set('limit', '25');
    if (before?.next_cursor) page.set('cursor', before.next_cursor);
    return `/api/review?${page}`;
  };
  const { data, error, size, setSize, isLoading, mutate } = useSWRInfinite<Page, Error>(key, {
    refreshInterval: (pages) => (pages?.some((page) => page.reviews.some((one) => ['queued', 'running'].includes(one.status))) ? 3_000 : 0),
    keepPreviousData: true,
  });
  const set = (name: string, value: string) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (value) next.set(name, value);
      else next.delete(name);
      return next;
    }, { replace: true });
  useEffect(() => {
    const timer = setTimeout(() => typed !== (params.get('search') ?? '') && set('search', typed), 250);
    return () => clearTimeout(timer);
  });
  const rows = data?.flatMap((page) => page.reviews) ?? [];
  const hasMore = Boolean(data?.at(-1)?.next_cursor);
  const isFiltered = FILTERS.some((name) => params.get(name));
  return (
    <div className="frame history">
      <h1>History</h1>
      <form className="filter-bar" role="search" onSubmit={(event) => event.preventDefault()}>
        <label className="grow"><span className="visually-hidden">Search</span><input type="search" placeholder="Search titles, repositories, revisions" value={search} onChange={(event) => setSearch(event.target.value)} /></label>
        <Choose name="status" label="Any state" values={['queued', 'running', 'completed', 'failed', 'cancelled']} chosen={params.get('status')} set={set} />
        <Choose name="verdict" label="Any verdict" values={Object.keys(VERDICTS)} chosen={params.get('verdict')} set={set} />
        {me?.repositories.length ? <Choose name="repository" label="Any repository" values={me.repositories} chosen={params.get('repository')} set={set} /> : null}
      </form>
      {error ? <Alert problem={error} again={() => void mutate()} /> : null}
      {isLoading && !rows.length ? <Waiting what="Looking them up" /> : null}
      {!isLoading && !error && !rows.length ? <p className="nothing">{isFiltered ? 'No review fits.' : <>Nothing has been reviewed yet. <Link href="/">Start one</Link></>}</p> : null}
      <ul className="reviews">{rows.map((one) => <li key={one.review_id}><Row summary={one} /></li>)}</ul>
      {hasMore ? <button type="button" onClick={() => void setSize(size + 1)}>Show older ones</button> : null}
    </div>
  );
}

function Choose({ name, label, values, chosen, set }: { name: string; label: string; values: string[]; chosen: string | null; set: (name: string, value: string) => void }) {
  return (
    <label><span className="visually-hidden">{name}</span>
      <select value={chosen ?? ''} onChange={(event) => set(name, event.target.value)}>
        <option value="">{label}</option>
        {values.map((value) => <option key={value} value={value}>{VERDICTS[value] ?? oneLine(value, 80)}</option>)}
      </select>
    </label>
  );
}

function Row({ summary }: { summary: Summary }) {
  const state = summary.verdict ?? summary.status;
  const { findings } = summary;
  const severities = Object.entries(findings?.by_severity ?? {}).filter(([, count]) => count > 0);
  return (
    <Link href={`/review/${summary.review_id}`} className="review-row">
      <span className={`state ${state}`}><span className={`dot ${state}`} aria-hidden="true" />{stateWord(summary)}{summary.is_incomplete ? <small> incomplete</small> : null}</span>
      <span className="what">
        <strong>{oneLine(summary.title || summary.url || summary.repository || 'A diff', 160)}</strong>
        <small className="soft">{[summary.repository, revisions(summary), summary.reason].filter(Boolean).map((one) => oneLine(String(one), 120)).join(' · ')}</small>
      </span>
      <span className="numbers">
        {severities.map(([severity, count]) => <span key={severity} className={`badge ${severity}`} title={counted(count, `${severity} finding`)}>{count} {severity}</span>)}
        {findings && !findings.shown ? <small className="soft">no findings</small> : null}
      </span>
      <span className="soft when" title={moment(summary.created_at)}>{ago(summary.created_at)}<small>{[summary.duration_ms ? seconds(summary.duration_ms) : '', summary.cost_usd ? money(summary.cost_usd) : ''].filter(Boolean).join(', ')}</small></span>
    </Link>
  );
}

function revisions({ base, head }: Summary): string {
  const short = (name: string) => (/^[0-9a-f]{40}$/.test(name) ? name.slice(0, 8) : name);
  return base && head ? `${short(base)}..${short(head)}` : '';
}
