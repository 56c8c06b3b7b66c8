/** A finished review: verdict, findings at their lines, what was withheld, the map, the account. */
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import useSWR from 'swr';
import { Link, useSearch } from 'wouter';
import type { Summary } from '../history/summary';
import { Alert, Waiting } from '../shell/Alert';
import { NoSuchPage } from '../shell/NoSuchPage';
import { Account } from './Account';
import { anchors, countDropped, isShown, ordered, type Report, setAside } from './findings';
import { FindingsView } from './FindingsView';
import { LabelsProvider } from './labels';
import { ReportContext, type Reading } from './reading';
import { decoded } from './text';
import { Top } from './Top';
import { under } from './under';
import { Withheld } from './Withheld';

const Proof = lazy(() => import('./Proof'));
const MapView = lazy(() => import('../map/MapView'));
const Iterations = lazy(() => import('../history/Iterations'));

const PARTS = ['', 'withheld', 'map', 'iterations', 'account'];

export default function ReportPage({ summary, rest }: { summary: Summary; rest: string }) {
  const address = `/api/review/${encodeURIComponent(summary.review_id)}`;
  const { data: report, error, mutate } = useSWR<Report, Error>(`${address}/report`, { revalidateIfStale: false });
  const search = useSearch();
  const known = useMemo(() => (report ? read(report, address, summary) : null), [report, address, summary]);
  const reading = useMemo(() => known && { ...known, search: search && `?${search}` }, [known, search]);
  if (error) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
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

function read(report: Report, address: string, summary: Summary): Omit<Reading, 'search'> {
  const shown = ordered(report.candidates.filter(isShown));
  const withheld = ordered(report.candidates.filter((one) => !isShown(one)));
  return { report, address, summary, shown, withheld, anchors: anchors([...shown, ...withheld]), under: under(report.candidates) };
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
    ['withheld', 'Withheld', reading.withheld.length + countDropped(setAside(reading.report))],
    ['map', 'Map', null],
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
