/** Who is reading what. */
import type { ReactNode } from 'react';
import { oneLine } from '../report/text';
import { calls, looked, type Worker } from './story';

/** Who is busy first; then models, whose looks cost something. */
const rank = (worker: Worker) => ['busy', 'cut', 'done', 'idle'].indexOf(standing(worker)) * 2 + (worker.model ? 0 : 1);

export function Workers({ workers }: { workers: Worker[] }) {
  return (
    <section className="sheet" aria-labelledby="workers">
      <h2 id="workers">Reviewers</h2>
      {workers.length === 0 ? <p className="soft">Nobody yet.</p> : null}
      <ul className="workers">
        {[...workers].sort((one, other) => rank(one) - rank(other)).map((one) => (
          <li key={`${one.agent}/${one.name}`} className={standing(one)}>
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

function standing(worker: Worker): string {
  if (worker.isDone) return ['nothing_to_read', 'did_not_run'].includes(worker.outcome) ? 'idle' : 'done';
  return worker.isCutOff ? 'cut' : 'busy';
}

function doing(worker: Worker): ReactNode {
  if (worker.isDone) return looked(worker);
  if (worker.isCutOff) return `cut off before it had finished${calls(worker)}`;
  // An analyser is its own tool: its name stands there already.
  const tool = worker.tool === worker.name ? '' : worker.tool;
  return tool || worker.detail ? <>{tool ? <code>{oneLine(tool, 60)}</code> : null} {oneLine(worker.detail, 120)}</> : 'reading';
}
