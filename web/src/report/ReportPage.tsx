/** A finished review: verdict, findings at their lines, what was withheld, the map, the account. */
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import useSWR from 'swr';
import { Link, useSearch } from 'wouter';
import { isFile } from '../file/contents';
import type { Summary } from '../history/summary';
import { Alert, Waiting } from '../shell/Alert';
import { NoSuchPage } from '../shell/NoSuchPage';
import { Account } from './Account';
import { isShown, type Report, type View } from './findings';
import { FindingsView } from './FindingsView';
import { LabelsProvider } from './labels';
import { ReportContext, type Reading } from './reading';
import { decoded } from './text';
import { Top } from './Top';
import { Withheld } from './Withheld';

const Proof = lazy(() => import('./Proof'));
const MapView = lazy(() => import('../map/MapView'));
const Iterations = lazy(() => import('../history/Iterations'));

const PARTS = ['', 'withheld', 'map', 'iterations', 'account'];

export default function ReportPage({ summary, rest }: { summary: Summary; rest: string }) {
  const address = `/api/review/${encodeURIComponent(summary.review_id)}`;
  const { data: report, error, mutate } = useSWR<Report, Error>(`${address}/report`, { revalidateIfStale: false });
  const { data: view, error: noView, mutate: again } = useSWR<View, Error>(`${address}/report/view`, { revalidateIfStale: false });
  const search = useSearch();
  const known = useMemo(() => (report && view ? read(report, view, address, summary) : null), [report, view, address, summary]);
  const reading = useMemo(() => known && { ...known, search: search && `?${search}` }, [known, search]);
  if (error ?? noView) return <div className="frame"><Alert problem={(error ?? noView)!} again={() => void Promise.all([mutate(), again()])} /></div>;
  if (!reading) return <Waiting what="Reading the report" />;
  const [part = '', name = ''] = rest.split('/');
  if (part !== 'finding' && !PARTS.includes(rest.replace(/\/$/, ''))) return <NoSuchPage />;
  return (
    <ReportContext value={reading}>
      <LabelsProvider address={address}>
        {part === 'finding' ? (
          <Suspense fallback={<Waiting what="Loading" />}><Proof anchor={decoded(name)} /></Suspense>
        ) : (
          <>
            <Top reading={reading} />
            <Tabs reading={reading} part={part} />
            <Suspense fallback={<Waiting what="Loading" />}><Part part={part} reading={reading} /></Suspense>
          </>
        )}
      </LabelsProvider>
    </ReportContext>
  );
}

function read(report: Report, view: View, address: string, summary: Summary): Omit<Reading, 'search'> {
  const candidates = new Map(report.candidates.map((one) => [one.id, one]));
  const all = view.findings.map((one) => ({ ...candidates.get(one.id)!, view: one }));
  return {
    report, view, address, summary,
    shown: all.filter(isShown),
    withheld: all.filter((one) => !isShown(one)),
    known: new Map(all.map((one) => [one.id, one])),
    anchors: new Map(all.map((one) => [one.id, one.view.anchor])),
  };
}

function Part({ part, reading }: { part: string; reading: Reading }) {
  switch (part) {
    case 'withheld':
      return <Withheld reading={reading} />;
    case 'map':
      return <MapView reading={reading} />;
    case 'iterations':
      return <Iterations reading={reading} />;
    case 'account':
      return <Account reading={reading} />;
    default:
      return <FindingsView reading={reading} />;
  }
}

function Tabs({ reading, part }: { reading: Reading; part: string }) {
  const here = `/review/${reading.summary.review_id}`;
  const tabs: [string, string, number | null][] = [
    ['', 'Findings', reading.shown.length],
    ['withheld', 'Withheld', reading.withheld.length + reading.view.set_aside_count],
    ...(isFile ? [] : [['map', 'Map', null] as [string, string, null]]),
    ['iterations', 'Iterations', null],
    ['account', 'Account', null],
  ];
  const bar = useRef<HTMLElement>(null);
  // On a phone the chosen one may stand beyond the edge.
  useEffect(() => {
    const chosen = bar.current?.querySelector<HTMLElement>('[aria-current]');
    if (chosen && bar.current) bar.current.scrollLeft = chosen.offsetLeft - bar.current.clientWidth / 2 + chosen.offsetWidth / 2;
  }, [part]);
  return (
    <nav ref={bar} className="tabs frame" aria-label="Parts of the report">
      {tabs.map(([name, label, count]) => (
        <Link key={name} href={(name ? `${here}/${name}` : here) + reading.search} aria-current={part === name ? 'page' : undefined}>
          {label}{count === null ? null : <span className="count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
