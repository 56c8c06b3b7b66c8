/** Searches that a finding declared, run again by the machine, with what they found. */
import type { Candidate } from './findings';
import { codeLine, counted, oneLine } from './text';

const MOST = 50;

export function Searches({ candidate }: { candidate: Candidate }) {
  return (
    <ul className="searches">
      {candidate.searches.map((run, index) => (
        <li key={index}>
          <p>
            <code>{oneLine(run.search.pattern)}</code> {run.search.paths.length ? <>in {run.search.paths.map((path) => oneLine(path)).join(', ')}</> : 'in all files'} at {run.search.side}:{' '}
            <strong>{run.state === 'nothing_found' ? 'nothing found' : run.state === 'failed' ? `failed ${oneLine(run.detail)}` : counted(run.hits.length, 'hit')}</strong>
          </p>
          {run.hits.length ? (
            <ul>
              {run.hits.slice(0, MOST).map((hit, at) => <li key={at}><code>{oneLine(hit.path)}:{hit.line}</code> <code>{codeLine(hit.text).trim()}</code></li>)}
              {run.hits.length > MOST ? <li>{run.hits.length - MOST} more</li> : null}
            </ul>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
