/** How good the reviews of this installation are: the measured error rate first, then what became of everything. */
import { useState } from 'react';
import useSWR from 'swr';
import { Link } from 'wouter';
import type { Shape } from '../api/client';
import { counted, money, oneLine, seconds } from '../report/text';
import { Alert, Waiting } from '../shell/Alert';
import { useTitle } from '../shell/title';
import { type Point, TimeChart } from './TimeChart';
import { percent, RateBar } from './RateBar';

type Measured = Shape<'Quality'>;

type OverTime = Shape<'ReviewPoint'>;

const PERIODS: [string, number | null][] = [['All time', null], ['90 days', 90], ['30 days', 30], ['7 days', 7]];

export default function Quality() {
  useTitle('Quality');
  const [days, setDays] = useState<number | null>(null);
  const since = days === null ? '' : `?since=${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}`;
  const { data, error, mutate } = useSWR<Measured, Error>(`/api/quality${since}`, { keepPreviousData: true });
  return (
    <div className="frame quality">
      <div className="title-row">
        <h1>Quality</h1>
        <span className="segments small" role="group" aria-label="Since">{PERIODS.map(([name, period]) => <button key={name} type="button" aria-pressed={days === period} onClick={() => setDays(period)}>{name}</button>)}</span>
      </div>
      {error ? <Alert problem={error} again={() => void mutate()} /> : null}
      {!data && !error ? <Waiting what="Counting" /> : null}
      {data ? <Measures quality={data} overTime={data.over_time} /> : null}
    </div>
  );
}

function Measures({ quality, overTime }: { quality: Measured; overTime: OverTime[] }) {
  return (
    <>
      <section className="sheet hero" aria-labelledby="wrong">
        <div>
          <h2 id="wrong">Wrong findings, as people labelled them</h2>
          {quality.wrong ? (
            <>
              <p className="rate">{percent(quality.wrong.share)} <small>95% interval {percent(quality.wrong.low)} to {percent(quality.wrong.high)}</small></p>
              <RateBar rate={quality.wrong} label="Wrong" />
              <p className="soft">{quality.wrong.count} of {counted(quality.wrong.n, 'labelled finding')}; {quality.shown - quality.labelled} more are not labelled.{quality.nit ? ` ${percent(quality.nit.share)} were nits.` : ''}</p>
            </>
          ) : <><p className="rate">Not measured yet</p><p className="soft">Mark findings valid, wrong or nit (<kbd>v</kbd> <kbd>w</kbd> <kbd>n</kbd>): the rate is made of nothing else.</p></>}
        </div>
        <dl className="ticker">
          <div><dt>Reviews</dt><dd>{quality.reports.toLocaleString('en')}</dd></div>
          <div><dt>Findings shown</dt><dd>{quality.shown.toLocaleString('en')}</dd></div>
          <div><dt>Time, median</dt><dd>{quality.duration_ms ? seconds(quality.duration_ms.median) : '–'}</dd></div>
          <div><dt>Cost, median</dt><dd>{quality.cost_usd ? money(quality.cost_usd.median) : '–'}</dd></div>
        </dl>
      </section>
      <div className="charts">
        <Over title="Wrong, by month" points={groups(quality, 'month')} format={percent} max={1} />
        <Over title="Wrong, by prompt version" points={groups(quality, 'prompt_version')} format={percent} max={1} isSteps />
        <Over title="Refuted" hint="of what was handed in" points={shares(overTime, 'refuted')} format={percent} max={1} />
        <Over title="Dropped by the contract" hint="of what was handed in" points={shares(overTime, 'dropped')} format={percent} max={1} />
        <Over title="Quotes relocated" hint="of what was handed in" points={shares(overTime, 'relocated')} format={percent} max={1} />
        <Over title="Cost of a review" points={values(overTime, 'cost_usd')} format={(value) => money(value)} />
        <Over title="Duration of a review" points={values(overTime, 'duration_ms')} format={seconds} />
      </div>
      <Fates quality={quality} />
      <ByVersion overTime={overTime} />
      <Tables quality={quality} />
      <Mistakes quality={quality} />
    </>
  );
}

function Over({ title, hint = '', points, format, max, isSteps = false }: { title: string; hint?: string; points: Point[]; format: (value: number) => string; max?: number; isSteps?: boolean }) {
  if (!points.length) return null;
  return (
    <figure className="sheet chart">
      <figcaption><strong>{title}</strong> <span className="hint">{hint}</span><span className="now">{format(points.at(-1)!.value)}</span></figcaption>
      <TimeChart title={title} points={points} format={format} max={max} isSteps={isSteps} />
    </figure>
  );
}

function groups(quality: Measured, by: 'month' | 'prompt_version'): Point[] {
  return (quality.by[by] ?? []).flatMap((group) =>
    group.wrong ? [{ label: group.value, value: group.wrong.share, low: group.wrong.low, high: group.wrong.high, note: `${group.wrong.count} of ${group.wrong.n}`, mark: '' }] : [],
  );
}

/** Reviews of one day together: a single one says little. */
function byDay(overTime: OverTime[]): Map<string, OverTime[]> {
  const days = new Map<string, OverTime[]>();
  for (const one of overTime) {
    const day = one.created_at.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  return days;
}

function shares(overTime: OverTime[], name: 'refuted' | 'dropped' | 'relocated'): Point[] {
  return [...byDay(overTime)].flatMap(([day, reviews]) => {
    const all = reviews.reduce((sum, one) => sum + one.candidates, 0);
    const count = reviews.reduce((sum, one) => sum + one[name], 0);
    return all ? [{ label: day, value: count / all, note: `${count} of ${all}`, mark: versions(reviews) }] : [];
  });
}

function values(overTime: OverTime[], name: 'cost_usd' | 'duration_ms'): Point[] {
  return [...byDay(overTime)].flatMap(([day, reviews]) => {
    const known = reviews.flatMap((one) => (one[name] === null ? [] : [one[name]])).sort((a, b) => a - b);
    return known.length ? [{ label: day, value: known[Math.floor(known.length / 2)]!, low: known[0]!, high: known.at(-1)!, note: `median of ${counted(known.length, 'review')}`, mark: versions(reviews) }] : [];
  });
}

const versions = (reviews: OverTime[]) => [...new Set(reviews.map((one) => one.prompt_version))].join(', ');

function Fates({ quality }: { quality: Measured }) {
  const { fates } = quality;
  if (!fates.candidates) return null;
  const parts: [string, number, string][] = [
    ['shown', fates.shown, 'shown'],
    ...Object.entries(fates.withheld).sort((one, other) => other[1] - one[1]).map(([code, count]): [string, number, string] => [code, count, code.replaceAll('_', ' ')]),
  ];
  return (
    <section className="sheet" aria-labelledby="fates">
      <h2 id="fates">What became of {counted(fates.candidates, 'candidate')}</h2>
      <div className="fates" role="img" aria-label={parts.map(([, count, name]) => `${name}: ${count}`).join(', ')}>
        {parts.filter(([, count]) => count).map(([code, count], index) => <span key={code} className={code === 'shown' ? 'part shown' : `part p${index % 6}`} style={{ flexGrow: count }} />)}
      </div>
      <ul className="legend">{parts.filter(([, count]) => count).map(([code, count, name], index) => <li key={code}><span className={`part ${code === 'shown' ? 'shown' : `p${index % 6}`}`} aria-hidden="true" />{name} <strong>{count}</strong> <span className="soft">{percent(count / fates.candidates)}</span></li>)}</ul>
    </section>
  );
}

function ByVersion({ overTime }: { overTime: OverTime[] }) {
  const all = new Map<string, OverTime[]>();
  for (const one of overTime) all.set(one.prompt_version, [...(all.get(one.prompt_version) ?? []), one]);
  if (!all.size) return null;
  const share = (reviews: OverTime[], name: 'refuted' | 'dropped' | 'relocated') => {
    const of = reviews.reduce((sum, one) => sum + one.candidates, 0);
    return of ? percent(reviews.reduce((sum, one) => sum + one[name], 0) / of) : '–';
  };
  const median = (reviews: OverTime[], name: 'duration_ms' | 'cost_usd') => {
    const known = reviews.flatMap((one) => (one[name] === null ? [] : [one[name]])).sort((a, b) => a - b);
    return known.length ? known[Math.floor(known.length / 2)]! : null;
  };
  return (
    <section className="sheet scroll-x" aria-labelledby="versions" tabIndex={0}>
      <h2 id="versions">By prompt version</h2>
      <table className="plain"><thead><tr><th scope="col">Prompts</th><th scope="col" className="number">Reviews</th><th scope="col" className="number">Dropped</th><th scope="col" className="number">Relocated</th><th scope="col" className="number">Refuted</th><th scope="col" className="number">Time</th><th scope="col" className="number">Cost</th></tr></thead>
        <tbody>{[...all].map(([version, reviews]) => (
          <tr key={version}><th scope="row">{version}</th><td className="number">{reviews.length}</td><td className="number">{share(reviews, 'dropped')}</td><td className="number">{share(reviews, 'relocated')}</td><td className="number">{share(reviews, 'refuted')}</td><td className="number">{seconds(median(reviews, 'duration_ms') ?? 0)}</td><td className="number">{median(reviews, 'cost_usd') === null ? '–' : money(median(reviews, 'cost_usd'))}</td></tr>
        ))}</tbody></table>
    </section>
  );
}

const DIMENSIONS: [keyof Measured['by'], string][] = [['specialist', 'By specialist'], ['category', 'By category'], ['severity', 'By severity'], ['model', 'By model']];

function Tables({ quality }: { quality: Measured }) {
  return (
    <div className="charts">
      {DIMENSIONS.map(([name, title]) => {
        const rows = quality.by[name] ?? [];
        return rows.length ? (
          <section key={name} className="sheet scroll-x" tabIndex={0} aria-label={title}>
            <h2>{title}</h2>
            <table className="plain"><thead><tr><th scope="col">{title.slice(3)}</th><th scope="col" className="number">Shown</th><th scope="col">Wrong</th></tr></thead>
              <tbody>{rows.map((row) => <tr key={row.value}><th scope="row">{oneLine(row.value)}</th><td className="number">{row.shown}</td><td>{row.wrong ? <RateBar rate={row.wrong} label={`Wrong, ${row.value}`} /> : <span className="soft">not labelled</span>}</td></tr>)}</tbody></table>
          </section>
        ) : null;
      })}
    </div>
  );
}

function Mistakes({ quality }: { quality: Measured }) {
  if (!quality.mistakes.length) return null;
  return (
    <section className="sheet" aria-labelledby="mistakes">
      <h2 id="mistakes">To learn from</h2>
      <ul>{quality.mistakes.slice(0, 50).map((one) => <li key={one.report_id + one.candidate_id}><Link href={`/review/${one.report_id}`}>{oneLine(one.title)}</Link> <code>{oneLine(one.place)}</code> <span className="soft">{one.specialist}{one.why ? `: ${oneLine(one.why)}` : ''}</span></li>)}</ul>
    </section>
  );
}
