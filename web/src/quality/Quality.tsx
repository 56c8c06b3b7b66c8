/** How good the reviews of this installation are: the measured error rate first, then what became of everything. */
import useSWR from 'swr';
import { Link, useSearchParams } from 'wouter';
import type { Shape } from '../api/client';
import { counted, money, oneLine, seconds } from '../report/text';
import { Alert, Waiting } from '../shell/Alert';
import { useTitle } from '../shell/title';
import { alarm, leftOut } from './asides';
import { fateOf, known, median, type OverTime, type Fate } from './numbers';
import { type Point, TimeChart } from './TimeChart';
import { percent, RateBar } from './RateBar';

type Measured = Shape<'Quality'>;

const PERIODS: [string, number | null][] = [['All time', null], ['90 days', 90], ['30 days', 30], ['7 days', 7]];

export default function Quality() {
  useTitle('Quality');
  const [params, setParams] = useSearchParams();
  const days = PERIODS.find(([, period]) => String(period) === params.get('days'))?.[1] ?? null;
  const setDays = (period: number | null) => setParams(period === null ? {} : { days: String(period) }, { replace: true });
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
  const broken = alarm(quality);
  const aside = leftOut(quality);
  return (
    <>
      {broken ? <p className="alarm" role="alert"><strong>{broken}</strong></p> : null}
      <section className="sheet hero" aria-labelledby="wrong">
        <div>
          <h2 id="wrong">Wrong findings, as people labelled them</h2>
          {quality.wrong ? (
            <>
              <p className="rate">{percent(quality.wrong.share)} <small>95% interval {percent(quality.wrong.low)} to {percent(quality.wrong.high)}</small></p>
              <RateBar rate={quality.wrong} label="Wrong" />
              <p className="soft">{quality.wrong.count} of {counted(quality.wrong.n, 'labelled problem')}{quality.nit?.count ? `, ${quality.nit.count} more ${quality.nit.count === 1 ? 'is a nit' : 'are nits'}` : ''}. {unlabelled(quality)}</p>
            </>
          ) : <><p className="rate">Not measured yet</p><p className="soft">Mark findings valid, wrong or nit (<kbd>v</kbd> <kbd>w</kbd> <kbd>n</kbd>): the rate is made of nothing else.</p></>}
        </div>
        <dl className="ticker">
          <div><dt>Finished reviews</dt><dd>{quality.reports.toLocaleString('en')}</dd></div>
          <div><dt>Problems shown</dt><dd>{quality.shown.toLocaleString('en')}<small> each once</small></dd></div>
          <div><dt>Time, median</dt><dd>{quality.duration_ms ? seconds(quality.duration_ms.median) : '–'}</dd></div>
          <div><dt>Cost, median</dt><dd>{quality.cost_usd ? money(quality.cost_usd.median) : '–'}{quality.cost_usd && quality.cost_usd.n !== quality.reports ? <small> of {quality.cost_usd.n} priced</small> : null}</dd></div>
        </dl>
        {aside.length ? <ul className="soft counting">{aside.map((one) => <li key={one}>{one}</li>)}</ul> : null}
        <p className="hint counting">A <em>problem</em> is counted once, however many reviews show it; what was <em>handed in</em> is counted each time. Reviews that failed, were cancelled or were deleted count nowhere.</p>
      </section>
      <div className="charts">
        <Over title="Wrong, by month" hint="of the labelled problems, with 95% interval" points={groups(quality, 'month')} format={percent} max={1} />
        <Over title="Wrong, by prompt version" hint="of the labelled problems" points={groups(quality, 'prompt_version')} format={percent} max={1} isSteps />
        <Over title="Refuted" hint="of what was handed in" points={shares(overTime, 'refuted')} format={percent} max={1} />
        <Over title="Dropped" hint="by the contract or before it was handed in" points={shares(overTime, 'dropped')} format={percent} max={1} />
        <Over title="Quotes relocated" hint="of what was handed in" points={shares(overTime, 'relocated')} format={percent} max={1} />
        <Over title="Cost of a review" hint="median of the day" points={values(overTime, 'cost_usd')} format={(value) => money(value)} />
        <Over title="Duration of a review" hint="median of the day" points={values(overTime, 'duration_ms')} format={seconds} />
      </div>
      <Fates quality={quality} setAside={overTime.reduce((sum, one) => sum + one.set_aside, 0)} />
      <ByVersion overTime={overTime} />
      <Tables quality={quality} />
      <Mistakes quality={quality} />
    </>
  );
}

function unlabelled({ shown, labelled }: Measured): string {
  const open = shown - labelled;
  return open > 0 ? `Of the ${counted(shown, 'problem')} shown, ${open} ${open === 1 ? 'is' : 'are'} not labelled yet.` : 'Every problem shown is labelled.';
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
    group.wrong ? [{ label: group.value, value: group.wrong.share, low: group.wrong.low, high: group.wrong.high, note: `${group.wrong.count} of ${group.wrong.n} labelled, 95% interval ${percent(group.wrong.low)} to ${percent(group.wrong.high)}`, mark: '' }] : [],
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

function shares(overTime: OverTime[], name: Fate): Point[] {
  return [...byDay(overTime)].flatMap(([day, reviews]) => {
    const { count, of } = fateOf(reviews, name);
    return of ? [{ label: day, value: count / of, note: `${count} of ${of} ${name === 'dropped' ? 'reported' : 'handed in'}`, mark: versions(reviews) }] : [];
  });
}

function values(overTime: OverTime[], name: 'cost_usd' | 'duration_ms'): Point[] {
  return [...byDay(overTime)].flatMap(([day, reviews]) => {
    const all = known(reviews, name);
    const middle = median(all);
    return middle === null ? [] : [{ label: day, value: middle, low: Math.min(...all), high: Math.max(...all), note: `median of ${counted(all.length, 'review')}`, mark: versions(reviews) }];
  });
}

const versions = (reviews: OverTime[]) => [...new Set(reviews.map((one) => one.prompt_version))].join(', ');

function Fates({ quality, setAside }: { quality: Measured; setAside: number }) {
  const { fates } = quality;
  if (!fates.candidates) return null;
  const parts: [string, number, string][] = [
    ['shown', fates.shown, 'shown'],
    ...Object.entries(fates.withheld).sort((one, other) => other[1] - one[1]).map(([code, count]): [string, number, string] => [code, count, code.replaceAll('_', ' ')]),
  ];
  return (
    <section className="sheet" aria-labelledby="fates">
      <h2 id="fates">Outcomes of findings</h2>
      <p className="soft">{counted(fates.candidates, 'finding')} handed in by specialists, every time counted: {fates.shown} shown{fates.shown === quality.shown ? '' : ` (${counted(quality.shown, 'problem')}, some of them in several reviews)`}, {fates.candidates - fates.shown} withheld.{setAside ? ` ${counted(setAside, 'more report')} of analysers ${setAside === 1 ? 'was' : 'were'} dropped before being handed in; each review lists its own under Withheld.` : ''}</p>
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
  const share = (reviews: OverTime[], name: Fate) => {
    const { count, of } = fateOf(reviews, name);
    return of ? percent(count / of) : '–';
  };
  const cost = (reviews: OverTime[]) => {
    const middle = median(known(reviews, 'cost_usd'));
    return middle === null ? '–' : money(middle);
  };
  return (
    <section className="sheet scroll-x" aria-labelledby="versions" tabIndex={0}>
      <h2 id="versions">By prompt version</h2>
      <p className="soft">Shares of what was handed in; time and cost are medians of a review.</p>
      <table className="plain"><thead><tr><th scope="col">Prompts</th><th scope="col" className="number">Reviews</th><th scope="col" className="number">Dropped</th><th scope="col" className="number">Relocated</th><th scope="col" className="number">Refuted</th><th scope="col" className="number">Time</th><th scope="col" className="number">Cost</th></tr></thead>
        <tbody>{[...all].map(([version, reviews]) => (
          <tr key={version}><th scope="row">{version}</th><td className="number">{reviews.length}</td><td className="number">{share(reviews, 'dropped')}</td><td className="number">{share(reviews, 'relocated')}</td><td className="number">{share(reviews, 'refuted')}</td><td className="number">{seconds(median(known(reviews, 'duration_ms')) ?? 0)}</td><td className="number">{cost(reviews)}</td></tr>
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
            <table className="plain"><thead><tr><th scope="col">{title.slice(3)}</th><th scope="col" className="number">Problems</th><th scope="col">Wrong of the labelled</th></tr></thead>
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
