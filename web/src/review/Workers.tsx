/** Who is reading what. */
import { counted, oneLine } from '../report/text';
import type { Worker } from './story';

/** Who is busy first; then models, whose looks cost something. */
const rank = (worker: Worker) => (worker.isDone ? 2 : 0) + (worker.model ? 0 : 1);

export function Workers({ workers }: { workers: Worker[] }) {
  return (
    <section className="sheet" aria-labelledby="workers">
      <h2 id="workers">Who looks</h2>
      {workers.length === 0 ? <p className="soft">Nobody yet.</p> : null}
      <ul className="workers">
        {[...workers].sort((one, other) => rank(one) - rank(other)).map((one) => (
          <li key={`${one.agent}/${one.name}`} className={one.isDone ? 'done' : 'busy'}>
            <span className="pulse" aria-hidden="true" />
            <span>
              <strong>{oneLine(one.name)}</strong>{one.model ? <small className="soft"> {oneLine(one.model)}</small> : null}
              <span className="doing">
                {one.isDone ? (one.calls ? counted(one.calls, 'look') : 'has looked') : one.tool ? <><code>{one.tool}</code> {oneLine(one.detail, 120)}</> : 'reading'}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
