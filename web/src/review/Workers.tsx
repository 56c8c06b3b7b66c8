/** Who is reading what. */
import type { ReactNode } from 'react';
import { counted, oneLine } from '../report/text';
import { looked, type Worker } from './story';

/** Who is busy first; then models, whose looks cost something. */
const rank = (worker: Worker) => (worker.isDone ? 4 : worker.isCutOff ? 2 : 0) + (worker.model ? 0 : 1);

export function Workers({ workers }: { workers: Worker[] }) {
  return (
    <section className="sheet" aria-labelledby="workers">
      <h2 id="workers">Who looks</h2>
      {workers.length === 0 ? <p className="soft">Nobody yet.</p> : null}
      <ul className="workers">
        {[...workers].sort((one, other) => rank(one) - rank(other)).map((one) => (
          <li key={`${one.agent}/${one.name}`} className={one.isDone ? 'done' : one.isCutOff ? 'cut' : 'busy'}>
            <span className="pulse" aria-hidden="true" />
            <span>
              <strong>{oneLine(one.name)}</strong>{one.model ? <small className="soft"> {oneLine(one.model)}</small> : null}
              <span className="doing">
                {doing(one)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function doing(worker: Worker): ReactNode {
  if (worker.isDone) return looked(worker);
  if (worker.isCutOff) return `cut off before it had finished${worker.calls ? `, after ${counted(worker.calls, 'look')}` : ''}`;
  return worker.tool ? <><code>{oneLine(worker.tool, 60)}</code> {oneLine(worker.detail, 120)}</> : 'reading';
}
