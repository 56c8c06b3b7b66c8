/** The program that shows a finding, and what it did on both sides. */
import type { Shape } from '../api/client';
import type { Listed } from './findings';
import { oneLine, seconds, sentenceCase, visible } from './text';

export function Reproduction({ candidate }: { candidate: Listed }) {
  const check = candidate.reproduction;
  const declared = candidate.finding?.verification?.reproduction;
  const head = check?.head[0];
  return (
    <>
      {check ? <p><strong>{sentenceCase(candidate.view.program?.outcome ?? '')}.</strong> {oneLine(check.detail, 600)} {check.sandbox ? <span className="soft">Run in {oneLine(check.sandbox)}.</span> : null}</p>
        : <p className="soft">A program is declared; programs are run only where the operator allows it, so it was not.</p>}
      {declared ? <details className="fold" open={!check}><summary>The program ({oneLine(declared.language, 40)})</summary><pre><code>{visible(declared.program, '\n\t')}</code></pre>
        {declared.files.map((file) => <details key={file.path} className="fold"><summary><code>{oneLine(file.path)}</code></summary><pre><code>{visible(file.content, '\n\t')}</code></pre></details>)}</details> : null}
      {check ? (
        <div className="sides">
          <Side title="Before the change" run={check.base} ended={candidate.view.program?.ended.base ?? ''} expected={declared?.expected_at_base ?? null} />
          <Side title="After the change" run={head ?? null} ended={candidate.view.program?.ended.head ?? ''} expected={declared?.expected_at_head ?? null} note={check.head.length > 1 ? `run ${check.head.length} times` : ''} />
        </div>
      ) : null}
    </>
  );
}

interface SideProps {
  title: string;
  run: Shape<'ProgramRun'> | null;
  ended: string;
  expected: Shape<'Expected'> | null;
  note?: string;
}

function Side({ title, run, ended, expected, note = '' }: SideProps) {
  return (
    <section className="side-run" aria-label={title}>
      <h3>{title}</h3>
      {run ? (
        <>
          <p className={run.state === 'exited' && run.exit_code === 0 ? 'good' : 'bad'}>{ended} <span className="soft">{seconds(run.duration_ms)} {note}</span></p>
          <pre tabIndex={0} aria-label={`Output ${title.toLowerCase()}`}>{visible(run.output, '\n\t') || '(no output)'}</pre>
        </>
      ) : <p className="soft">Not run: base lacks the code.</p>}
      {expected ? <p className="hint">Declared: exit code {expected.exit_code}{expected.output ? <>, output like <code>{oneLine(expected.output, 200)}</code></> : null}</p> : null}
    </section>
  );
}
