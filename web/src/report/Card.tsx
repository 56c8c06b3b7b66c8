/** A finding at its line: what it says, how it stands, why it is believed, what to do. */
import { Fragment, memo, useState } from 'react';
import { Link } from 'wouter';
import { isFile } from '../file/contents';
import { Excerpt } from './Excerpt';
import type { Said } from './findings';
import { Further } from './Further';
import { LabelButtons } from './labels';
import { Inline, Prose } from './Prose';
import { markdownOf, WORD_HELP } from './proof';
import { proofAddress, useReading } from './reading';
import { oneLine, sentenceCase } from './text';

interface Props {
  candidate: Said;
  withQuote?: boolean;
  isCurrent: boolean;
  choose: (id: string) => void;
}

export const Card = memo(function Card({ candidate, withQuote, isCurrent, choose }: Props) {
  const reading = useReading();
  const { finding } = candidate;
  const anchor = reading.anchors.get(candidate.id);
  const title = (
    <><span className={`badge ${finding.severity}`}>{finding.severity}</span> <span className="title"><Inline text={oneLine(finding.title)} /></span></>
  );
  return (
    <article id={anchor} data-finding={candidate.id} tabIndex={-1} aria-label={oneLine(finding.title)} className={`card ${finding.severity} ${isCurrent ? 'current' : ''}`} onClick={() => choose(candidate.id)}>
      {candidate.view.is_folded ? (
        <details className="maybe" open={isCurrent || undefined}><summary><span className="hint">smaller point</span> {title}</summary><Body candidate={candidate} withQuote={withQuote} /></details>
      ) : (
        <><h4>{title}</h4><Body candidate={candidate} withQuote={withQuote} /></>
      )}
    </article>
  );
});

function Body({ candidate, withQuote }: { candidate: Said; withQuote: boolean | undefined }) {
  const reading = useReading();
  const { finding, view } = candidate;
  return (
    <>
      <p className="place">
        <Link href={proofAddress(reading, candidate.id)}>{oneLine(view.place)}</Link>{' '}
        {view.standing.map((word) => <span key={word} className={`word ${word === 'blocks' ? 'blocks' : ''}`} title={WORD_HELP[word]}>{word}</span>)}
      </p>
      {view.message ? <Prose text={view.message} /> : null}
      {withQuote ? <Excerpt candidate={candidate} /> : null}
      {view.claim.length ? (
        <dl className="claim">
          {view.claim.map(([label, text]) => <Fragment key={label}><dt>{sentenceCase(label)}</dt><dd><Inline text={oneLine(text, 1_000)} /></dd></Fragment>)}
        </dl>
      ) : null}
      <Further candidate={candidate} isHere />
      {finding.suggestion ? <div className="todo"><strong>To do</strong><Prose text={finding.suggestion} /></div> : null}
      <footer className="card-foot">
        <Link className="proof-line" href={proofAddress(reading, candidate.id)}><strong>Proof</strong> {view.proof_line.map((one) => oneLine(one, 120)).join(' · ')}</Link>
        <span className="card-tools"><LabelButtons id={candidate.id} title={oneLine(finding.title)} /><CopyLink candidate={candidate} /></span>
      </footer>
    </>
  );
}

function CopyLink({ candidate }: { candidate: Said }) {
  const reading = useReading();
  const [said, setSaid] = useState('');
  const copy = async (text: string, word: string) => {
    await navigator.clipboard.writeText(text).then(() => setSaid(word), () => setSaid('not copied'));
    setTimeout(() => setSaid(''), 2_000);
  };
  const page = isFile ? location.href.split('#')[0] : `${location.origin}/review/${reading.summary.review_id}`;
  const address = `${page}#${reading.anchors.get(candidate.id)}`;
  return (
    <>
      <button type="button" className="quiet" onClick={() => void copy(address, 'copied')} title="Copy the address of this finding">Link</button>
      <button type="button" className="quiet" onClick={() => void copy(markdownOf(candidate), 'copied')} title="Copy as markdown">Markdown</button>
      <span className="hint" role="status">{said}</span>
    </>
  );
}
