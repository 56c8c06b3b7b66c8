/** The reviews of one change, oldest first: score, verdict, what was followed, and when to stop. */
import { Inline } from '../report/Prose';
import { moment, oneLine } from '../report/text';

export interface Series {
  repository: string;
  series: string;
  alerts: string[];
  reviews: { number: number; created_at: string; head: string; score: number; score_said: string; verdict: string; open: number; became: string; followed: boolean | null; delta: number | null; clarity: number | null; is_whole: boolean }[];
  open: { severity: string; place: string; title: string; times: number }[];
}

const YES_NO = (value: boolean | null) => (value === null ? '' : value ? 'yes' : 'no');
const [WIDTH, HEIGHT] = [640, 160];

export function SeriesView({ series }: { series: Series }) {
  return (
    <div className="frame account-page">
      <h1>{oneLine(series.series, 200)}</h1>
      <p className="soft">{oneLine(series.repository, 300)}</p>
      {series.alerts.map((one) => <p key={one} className="alarm"><Inline text={oneLine(one, 400)} /></p>)}
      <section className="sheet"><h2>Scores</h2><Curve reviews={series.reviews} /></section>
      <section className="sheet"><h2>Reviews</h2>
        <div className="scroll-x" tabIndex={0} role="region" aria-label="Reviews">
          <table className="plain"><thead><tr>{['Review', 'Made', 'Head', 'Score', 'Verdict', 'Open', 'What became of the findings before', 'Followed', 'Change', 'Clarity'].map((one) => <th key={one} scope="col">{one}</th>)}</tr></thead>
            <tbody>{series.reviews.map((one) => (
              <tr key={one.number}><th scope="row">{one.number}</th><td>{moment(one.created_at)}</td><td><code>{oneLine(one.head.slice(0, 8))}</code></td><td>{one.score_said}</td><td>{one.verdict}</td><td className="number">{one.open}</td><td>{one.became}</td><td>{YES_NO(one.followed)}</td><td className="number">{one.delta === null ? '' : one.delta.toFixed(2)}</td><td className="number">{one.clarity === null ? '' : one.clarity.toFixed(2)}</td></tr>
            ))}</tbody></table>
        </div>
      </section>
      {series.open.length ? (
        <section className="sheet"><h2>Open <span className="count">{series.open.length}</span></h2>
          <ul>{series.open.map((one, index) => <li key={index}><span className={`badge ${one.severity}`}>{one.severity}</span> <code>{oneLine(one.place, 200)}</code> <Inline text={oneLine(one.title, 300)} />{one.times > 1 ? <span className="soft"> in {one.times} reviews</span> : null}</li>)}</ul>
        </section>
      ) : null}
    </div>
  );
}

/** Only completed reviews make the line. */
function Curve({ reviews }: { reviews: Series['reviews'] }) {
  const step = (WIDTH - 40) / Math.max(reviews.length - 1, 1);
  const dots = reviews.map((one, index) => ({ one, x: 20 + index * step, y: 10 + (1 - one.score) * (HEIGHT - 20) }));
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Scores: ${reviews.map((one) => one.score_said).join(', ')}`}>
      <polyline points={dots.filter(({ one }) => one.is_whole).map(({ x, y }) => `${x},${y}`).join(' ')} fill="none" stroke="currentColor" strokeWidth="2" />
      {dots.map(({ one, x, y }) => <circle key={one.number} cx={x} cy={y} r="5" fill="currentColor"><title>{`Review ${one.number}: ${one.score_said}, ${one.verdict}`}</title></circle>)}
    </svg>
  );
}
