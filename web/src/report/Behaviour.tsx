/** What probes showed when they were run on both sides of the change. */
import { Link } from 'wouter';
import type { Shape } from '../api/client';
import { counting, type Probed, probes } from './behaviour';
import { titleOf } from './findings';
import { reasonWord, runEnd } from './proof';
import { proofAddress, type Reading } from './reading';
import { oneLine, visible } from './text';

const MOST = 200;

export function Behaviour({ reading }: { reading: Reading }) {
  const all = probes(reading.report);
  return (
    <>
      <p>{counting(reading.report.behaviour)}</p>
      {all.slice(0, MOST).map((one) => <Probe key={`${one.row.specialist} ${one.row.name}`} probed={one} reading={reading} />)}
      {all.length > MOST ? <p className="hint">{all.length - MOST} more are in the native report.</p> : null}
    </>
  );
}

function Probe({ probed: { row, words, run }, reading }: { probed: Probed; reading: Reading }) {
  const about = row.candidate ? reading.report.candidates.find((one) => one.id === row.candidate) : undefined;
  return (
    <details className="fold">
      <summary><strong>{words}</strong>: {oneLine(row.name, 200)}</summary>
      {row.announced ? <p>The change says: “{oneLine(row.announced, 600)}”</p> : null}
      {about ? <p><Link href={proofAddress(reading, about.id)}>{oneLine(titleOf(about))}</Link>{about.withheld ? ` (withheld: ${reasonWord(about.withheld.code)})` : ''}</p> : null}
      {run ? (
        <>
          <pre><code>{visible(run.program.text, '\n\t')}</code></pre>
          <div className="sides"><Side title="Before the change" run={run.base[0]} /><Side title="After the change" run={run.head[0]} /></div>
        </>
      ) : null}
    </details>
  );
}

function Side({ title, run }: { title: string; run: Shape<'ProgramRun'> | undefined }) {
  return (
    <section className="side-run" aria-label={title}>
      <h3>{title}</h3>
      {run ? <><p className={run.state === 'exited' && run.exit_code === 0 ? 'good' : 'bad'}>{runEnd(run)}</p><pre tabIndex={0} aria-label={`Output ${title.toLowerCase()}`}>{visible(run.output, '\n\t') || '(no output)'}</pre></> : <p className="soft">Not run.</p>}
    </section>
  );
}
