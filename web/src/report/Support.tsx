/** What supports a finding beside its own quote: code of packages, and a patch with how it fared. */
import { Code } from './Code';
import { DiffText } from './DiffText';
import type { Listed } from './findings';
import { oneLine } from './text';

export function Packages({ candidate }: { candidate: Listed }) {
  return (
    <>
      {candidate.dependency_quotes.map((one, index) => (
        <section key={index} aria-label={oneLine(`${one.package} ${one.version}`)}>
          <p><strong>{oneLine(`${one.package} ${one.version}`)}</strong> <code>{oneLine(one.file)}</code>: {oneLine(candidate.view.packages[index] ?? '', 500)}.{one.detail && one.outcome !== 'exact' ? ` ${oneLine(one.detail, 400)}` : ''}</p>
          {one.start !== null && one.code ? <Code path={one.file} lines={one.code.replace(/\n$/, '').split('\n')} first={one.start} guilty={[one.start, one.end ?? one.start]} caption={<code>{oneLine(one.file)}:{one.start}{one.end && one.end !== one.start ? `–${one.end}` : ''}</code>} /> : null}
        </section>
      ))}
    </>
  );
}

export function Patch({ candidate: { view: { patch } } }: { candidate: Listed }) {
  if (!patch) return null;
  return (
    <>
      <p><strong>{oneLine(patch.said)}.</strong></p>
      {patch.steps.length ? <ul>{patch.steps.map((step, index) => <li key={index}>{oneLine(step, 500)}</li>)}</ul> : null}
      {patch.text ? <DiffText label="The patch" lines={patch.text.split('\n').slice(0, 400)} /> : null}
    </>
  );
}
