/** Proving a finding again, in front of the user. */
import { useState } from 'react';
import { type Shape, send } from '../api/client';
import { Alert } from '../shell/Alert';
import type { Candidate } from './findings';
import { useReading } from './reading';
import { oneLine, seconds } from './text';

type Checked = Shape<'Rechecked'>;

export function Recheck({ candidate }: { candidate: Candidate }) {
  const { address } = useReading();
  const [checked, setChecked] = useState<Checked | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [began, setBegan] = useState<number | null>(null);
  const [took, setTook] = useState(0);
  const run = async () => {
    const start = Date.now();
    setBegan(start);
    setProblem(null);
    setChecked(null);
    try {
      setChecked(await send<Checked>('POST', `${address}/recheck`));
    } catch (error) {
      setProblem(error as Error);
    }
    setTook(Date.now() - start);
    setBegan(null);
  };
  const own = checked?.proofs.filter((one) => one.finding === candidate.id || one.finding === candidate.fingerprint) ?? [];
  const broken = checked?.proofs.filter((one) => one.holds === false).length ?? 0;
  return (
    <section className="sheet" aria-labelledby="recheck">
      <h2 id="recheck">Recheck</h2>
      <p className="soft">Reads the commit again, looks for the quote again, runs searches and analysers again, and computes the report again.</p>
      <p><button type="button" className="primary" onClick={() => void run()} disabled={began !== null}>{began === null ? 'Run the proof again' : 'Running …'}</button></p>
      {problem ? <Alert problem={problem} /> : null}
      <div role="status">
        {checked ? (
          <>
            <ul className="proofs">
              {own.map((one, index) => <li key={index} className={word(one.holds)}><strong>{mark(one.holds)} {oneLine(one.kind.replaceAll('_', ' '))}</strong> {oneLine(one.detail, 400)}</li>)}
              {own.length === 0 ? <li className="unknown">Nothing of this finding alone could be run again.</li> : null}
            </ul>
            <p className={`outcome ${word(checked.holds)}`}>{mark(checked.holds)} {overall(checked.holds, broken)} <span className="soft">{seconds(took)}</span></p>
            {checked.on_its_word.length ? <details className="fold"><summary>Taken on its word ({checked.on_its_word.length})</summary><ul>{checked.on_its_word.map((one, index) => <li key={index}>{oneLine(one, 300)}</li>)}</ul></details> : null}
          </>
        ) : null}
      </div>
    </section>
  );
}

const word = (holds: boolean | null) => (holds === null ? 'unknown' : holds ? 'holds' : 'broken');
const mark = (holds: boolean | null) => (holds === null ? '?' : holds ? '✓' : '✗');

function overall(holds: boolean | null, broken: number): string {
  if (holds) return 'The whole report holds.';
  if (holds === null) return 'Not everything in the report could be proven again.';
  return broken ? `${broken} proofs of the report do not hold.` : 'The report does not hold.';
}
