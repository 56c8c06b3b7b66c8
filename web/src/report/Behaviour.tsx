/** What probes showed when they were run on both sides of the change. */
import { Link } from 'wouter';
import type { Shape } from '../api/client';
import { proofAddress, type Reading } from './reading';
import { oneLine, sentenceCase, visible } from './text';

const MOST = 200;

export function Behaviour({ reading }: { reading: Reading }) {
  const { behaviour, probes } = reading.view;
  return (
    <>
      <p>{sentenceCase(behaviour)}.</p>
      {probes.slice(0, MOST).map((one, index) => <Probe key={index} probe={one} reading={reading} />)}
      {probes.length > MOST ? <p className="hint">{probes.length - MOST} more are in the native report.</p> : null}
    </>
  );
}

function Probe({ probe, reading }: { probe: Shape<'Compared'>; reading: Reading }) {
  const why = oneLine(probe.why, 600);
  return (
    <details className="fold">
      <summary><strong>{probe.outcome}</strong>: {oneLine(probe.name, 200)}</summary>
      {why ? <p>{sentenceCase(why)}</p> : null}
      {probe.findings.map(([id, title]) => <p key={id}><Link href={proofAddress(reading, id)}>{oneLine(title, 600)}</Link></p>)}
      {probe.parts.map((part, index) => (
        <section key={index} aria-label={oneLine(part.heading)}><p>{sentenceCase(oneLine(part.heading))}</p>{part.text ? <pre tabIndex={0} aria-label={oneLine(part.heading)}>{visible(part.text, '\n\t')}</pre> : null}</section>
      ))}
    </details>
  );
}
