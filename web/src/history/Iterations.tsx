/** Reviews of the same pull request or branch, side by side: what was fixed, what is still open, what is new. */
import useSWR from 'swr';
import { Link } from 'wouter';
import { placeOf, type Report, type Said, isShown } from '../report/findings';
import { Inline } from '../report/Prose';
import type { Reading } from '../report/reading';
import { ago, oneLine } from '../report/text';
import { Waiting } from '../shell/Alert';
import { type Page, type Summary, VERDICTS } from './summary';

export default function Iterations({ reading }: { reading: Reading }) {
  const query = seriesQuery(reading.summary);
  const { data } = useSWR<Page>(query ? `/api/review?${query}&limit=50` : null);
  if (query && !data) return <Waiting what="Looking for earlier reviews" />;
  const all = (data?.reviews ?? []).filter((one) => one.status === 'completed' && isSame(one, reading.summary));
  const series = all.some((one) => one.review_id === reading.summary.review_id) ? all : [reading.summary, ...all];
  const ordered = [...series].sort((one, other) => one.created_at.localeCompare(other.created_at));
  const at = ordered.findIndex((one) => one.review_id === reading.summary.review_id);
  const before = ordered[at - 1];
  if (ordered.length < 2) return <div className="frame"><p className="nothing">This is the only review of this change so far. The next one of the same pull request or branch will stand beside it, with what was fixed, what is still open, and what is new.</p></div>;
  return (
    <div className="frame iterations">
      <ol className="iteration-line" aria-label="Iterations">
        {ordered.map((one, index) => (
          <li key={one.review_id} aria-current={index === at ? 'step' : undefined}>
            <Link href={`/review/${one.review_id}/iterations`}><span className={`dot ${one.verdict ?? one.status}`} aria-hidden="true" /><strong>{index + 1}</strong> <span>{VERDICTS[one.verdict ?? ''] ?? one.status}</span> <small className="soft">{one.findings?.shown ?? 0} shown, {ago(one.created_at)}</small></Link>
          </li>
        ))}
      </ol>
      {before ? <Compared before={before} reading={reading} /> : <p className="soft">This is the first of {ordered.length}. Open a later one to see what became of its findings.</p>}
    </div>
  );
}

function seriesQuery(summary: Summary): string {
  if (summary.series) return new URLSearchParams({ series: summary.series }).toString();
  if (summary.repository) return new URLSearchParams({ repository: summary.repository }).toString();
  return summary.title ? new URLSearchParams({ search: summary.title }).toString() : '';
}

/** Without a series: the same pull request, or the same repository and title. */
function isSame(one: Summary, other: Summary): boolean {
  if (one.series || other.series) return one.series === other.series;
  if (one.url || other.url) return one.url === other.url;
  return one.repository === other.repository && one.title === other.title;
}

function Compared({ before, reading }: { before: Summary; reading: Reading }) {
  const { data } = useSWR<Report>(`/api/review/${before.review_id}/report`);
  if (!data) return <Waiting what="Reading the earlier report" />;
  const old = data.candidates.filter(isShown);
  const fresh = reading.shown;
  const has = (list: Said[], one: Said) => list.some((other) => other.fingerprint === one.fingerprint);
  const gone = old.filter((one) => !has(fresh, one));
  return (
    <div className="three">
      <Group title="No longer reported" className="fixed" hint="fixed, moved out of the change, or not repeated" rows={gone} review={before.review_id} />
      <Group title="Still open" className="open" hint="in both" rows={fresh.filter((one) => has(old, one))} review={reading.summary.review_id} />
      <Group title="New" className="new" hint="not in the review before" rows={fresh.filter((one) => !has(old, one))} review={reading.summary.review_id} />
    </div>
  );
}

function Group({ title, className, hint, rows, review }: { title: string; className: string; hint: string; rows: Said[]; review: string }) {
  return (
    <section className={`sheet group ${className}`} aria-label={title}>
      <h2>{title} <span className="count">{rows.length}</span></h2>
      <p className="hint">{hint}</p>
      <ul>{rows.map((one) => <li key={one.id}><span className={`badge ${one.finding.severity}`}>{one.finding.severity}</span> <Link href={`/review/${review}#finding-${one.fingerprint.replace(/[^A-Za-z0-9]+/g, '-')}`}><Inline text={oneLine(one.finding.title)} /></Link><br /><small className="soft">{oneLine(placeOf(one.finding))}</small></li>)}</ul>
    </section>
  );
}
