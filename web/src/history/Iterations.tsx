/** Reviews of the same pull request or branch, side by side: what was fixed, what is still open, what is new. */
import useSWR from 'swr';
import { Link } from 'wouter';
import type { Shape } from '../api/client';
import type { FindingView, View } from '../report/findings';
import { Inline } from '../report/Prose';
import { proofAddress, type Reading } from '../report/reading';
import { ago, oneLine } from '../report/text';
import { Alert, Waiting } from '../shell/Alert';
import { stateWord, type Summary } from './summary';

type Decision = Shape<'FindingDecision'>;

interface Row {
  key: string;
  severity: string;
  title: string;
  place: string;
  why: string;
  href: string | null;
}

export default function Iterations({ reading }: { reading: Reading }) {
  const { data, error, mutate } = useSWR<Shape<'IterationList'>, Error>(`/api/review/${reading.summary.review_id}/iterations`);
  if (error) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
  if (!data) return <Waiting what="Looking for earlier reviews" />;
  const all = data.iterations.flatMap((one) => (one.review ? [one.review] : []));
  const series = all.some((one) => one.review_id === reading.summary.review_id) ? all : [reading.summary, ...all];
  const ordered = [...series].sort((one, other) => one.created_at.localeCompare(other.created_at));
  const at = ordered.findIndex((one) => one.review_id === reading.summary.review_id);
  const before = ordered[at - 1];
  const followUp = reading.report.follow_up;
  if (ordered.length < 2 && !followUp) {
    return <div className="frame"><p className="nothing">This is the only review of this change so far. The next one of the same pull request or branch will stand beside it, with what was fixed, what is still open, and what is new.</p></div>;
  }
  return (
    <div className="frame iterations">
      <ol className="iteration-line" aria-label="Iterations">
        {ordered.map((one, index) => (
          <li key={one.review_id} aria-current={index === at ? 'step' : undefined}>
            <Link href={`/review/${one.review_id}/iterations`}><span className={`dot ${one.verdict ?? one.status}`} aria-hidden="true" /><strong>{index + 1}</strong> <span>{stateWord(one)}</span> <small className="soft">{one.findings?.shown ?? 0} shown, {ago(one.created_at)}</small></Link>
          </li>
        ))}
      </ol>
      {followUp ? <Decided followUp={followUp} reading={reading} /> : before ? <Compared before={before} reading={reading} /> : <p className="soft">This is the first of {ordered.length}. Open a later one to see what became of its findings.</p>}
    </div>
  );
}

const DECIDED_BY: Record<Decision['by'], string> = {
  reproduction: 'its program was run again',
  analyser: 'its analyser looked again',
  evidence: 'the quoted code was looked for',
  verifier: 'the verifier judged the old claim at the new head',
  repetition: 'it was reported again',
  people: 'people have decided it',
};

/** What the review itself decided of each finding of the one before. */
function Decided({ followUp, reading }: { followUp: Shape<'FollowUp'>; reading: Reading }) {
  const rows = (...fates: Decision['fate'][]): Row[] =>
    followUp.decisions.filter((one) => fates.includes(one.fate)).map((one) => ({
      key: one.key,
      severity: one.severity,
      title: one.title,
      place: `${one.file}:${one.line}`,
      why: [one.reason.replace(/\.$/, ''), DECIDED_BY[one.by]].filter(Boolean).join('; '),
      href: one.now ? proofAddress(reading, one.now) : null,
    }));
  const fresh = reading.shown.filter((one) => followUp.new.includes(one.id)).map((one) => rowOf(one.view, proofAddress(reading, one.id)));
  const returned = (followUp.returned ?? []).flatMap((back) =>
    reading.shown.filter((one) => one.id === back.now).map((one) => ({
      ...rowOf(one.view, proofAddress(reading, one.id)),
      why: `it stood in review ${back.review} and was gone in review ${back.review + 1}`,
    })));
  const unknown = rows('cannot_tell');
  const dismissed = rows('dismissed');
  return (
    <>
      <p className="soft">Iteration {followUp.iteration}{followUp.series ? ` of ${oneLine(followUp.series, 80)}` : ''}. Gone is not fixed: each finding of the review before was decided from the code at the new head.</p>
      <div className="three">
        <Group title="Fixed" className="fixed" rows={rows('fixed')} />
        <Group title="Still open" className="open" rows={[...rows('still_open'), ...rows('partly_fixed').map((row) => ({ ...row, title: `Partly fixed: ${row.title}` }))]} />
        <Group title="New" className="new" rows={fresh} />
      </div>
      {returned.length ? <Group title="Back again" className="open" rows={returned} /> : null}
      {dismissed.length ? <Group title="Dismissed" className="fixed" rows={dismissed} /> : null}
      {unknown.length ? <Group title="Unknown" className="open" rows={unknown} /> : null}
    </>
  );
}

/** Two reviews that do not know of each other: by fingerprint. */
function Compared({ before, reading }: { before: Summary; reading: Reading }) {
  const { data, error, mutate } = useSWR<View, Error>(`/api/review/${before.review_id}/report/view`);
  if (error) return <Alert problem={error} again={() => void mutate()} />;
  if (!data) return <Waiting what="Reading the earlier report" />;
  const old = data.findings.filter((one) => one.withheld === null);
  const fresh = reading.shown.map((one) => one.view);
  const has = (list: FindingView[], one: FindingView) => list.some((other) => other.fingerprint === one.fingerprint);
  const here = (one: FindingView) => rowOf(one, proofAddress(reading, one.id));
  const there = (one: FindingView) => rowOf(one, `/review/${before.review_id}#${one.anchor}`);
  return (
    <div className="three">
      <Group title="No longer reported" className="fixed" hint="fixed, moved out of the change, or not repeated" rows={old.filter((one) => !has(fresh, one)).map(there)} />
      <Group title="Still open" className="open" hint="in both" rows={fresh.filter((one) => has(old, one)).map(here)} />
      <Group title="New" className="new" hint="not in the review before" rows={fresh.filter((one) => !has(old, one)).map(here)} />
    </div>
  );
}

function rowOf({ id, severity, title, place }: FindingView, href: string): Row {
  return { key: id, severity, title, place, why: '', href };
}

function Group({ title, className, hint = '', rows }: { title: string; className: string; hint?: string; rows: Row[] }) {
  return (
    <section className={`sheet group ${className}`} aria-label={title}>
      <h2>{title} <span className="count">{rows.length}</span></h2>
      {hint ? <p className="hint">{hint}</p> : null}
      <ul>
        {rows.map((row) => (
          <li key={row.key}>
            <span className={`badge ${row.severity}`}>{row.severity}</span> {row.href ? <Link href={row.href}><Inline text={oneLine(row.title)} /></Link> : <Inline text={oneLine(row.title)} />}
            <br /><small className="soft">{oneLine(row.place)}{row.why ? <> · <Inline text={oneLine(row.why, 300)} /></> : null}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
