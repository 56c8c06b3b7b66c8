/** What supports a finding beside its own quote: code of packages, and a patch with how it fared. */
import { Code } from './Code';
import { DiffText } from './DiffText';
import type { Candidate } from './findings';
import { packageWords, patchWords, stepWords } from './proof';
import { oneLine } from './text';

export function Packages({ candidate }: { candidate: Candidate }) {
  return (
    <>
      {candidate.dependency_quotes.map((one, index) => (
        <section key={index} aria-label={oneLine(`${one.package} ${one.version}`)}>
          <p><strong>{oneLine(`${one.package} ${one.version}`)}</strong> <code>{oneLine(one.file)}</code>: {packageWords(one)}{one.detail && one.outcome !== 'exact' ? ` ${oneLine(one.detail, 400)}` : ''}</p>
          {one.start !== null && one.code ? <Code path={one.file} lines={one.code.replace(/\n$/, '').split('\n')} first={one.start} guilty={[one.start, one.end ?? one.start]} caption={<code>{oneLine(one.file)}:{one.start}{one.end && one.end !== one.start ? `–${one.end}` : ''}</code>} /> : null}
        </section>
      ))}
    </>
  );
}

export function Patch({ candidate }: { candidate: Candidate }) {
  const text = candidate.finding?.verification?.patch?.trimEnd() ?? '';
  return (
    <>
      <p><strong>{patchWords(candidate)}.</strong></p>
      {candidate.patch_trial ? <ul>{candidate.patch_trial.steps.map((step, index) => <li key={index}><strong>{stepWords(step.passed)}</strong>: {step.name}{step.detail ? `: ${oneLine(step.detail, 400)}` : ''}</li>)}</ul> : null}
      {text ? <DiffText label="The patch" lines={text.split('\n').slice(0, 400)} /> : null}
    </>
  );
}
