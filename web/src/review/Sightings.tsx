/** Findings as they appear, and what the verifier makes of them. */
import { Inline } from '../report/Prose';
import { oneLine } from '../report/text';
import type { Sighting } from './story';

const STATUSES: Record<string, [string, string]> = {
  verified: ['✓', 'verified'],
  likely: ['~', 'likely'],
  unverified: ['?', 'unverified'],
  false_positive: ['✗', 'refuted'],
};

export function Sightings({ sightings, isOver }: { sightings: Sighting[]; isOver: boolean }) {
  return (
    <section className="sheet" aria-labelledby="sightings">
      <h2 id="sightings">Findings</h2>
      {sightings.length === 0 ? <p className="soft">{isOver ? 'None.' : 'None so far. They appear here as soon as their quote was checked.'}</p> : null}
      <ul className="sightings" aria-live="polite" aria-relevant="additions">
        {sightings.map((one) => {
          const [mark, word] = STATUSES[one.status ?? ''] ?? (isOver ? ['–', 'not verified'] : ['…', 'being verified']);
          return (
            <li key={one.id} className={one.status ?? 'open'}>
              <span className={`badge ${one.severity}`}>{one.severity}</span>
              <span className="what"><span className="title"><Inline text={oneLine(one.title)} /></span><small className="soft"> {oneLine(one.specialist, 60)}{one.place ? ` · ${oneLine(one.place)}` : ''}</small></span>
              <span className={`status ${one.status ?? 'open'}`}><span aria-hidden="true">{mark}</span> {word}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
