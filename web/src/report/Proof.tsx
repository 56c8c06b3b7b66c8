/** Everything that speaks for or against one finding, to be judged by the reader. */
import { Fragment, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useKeys } from '../shell/keys';
import { useTitle } from '../shell/title';
import { DiffText } from './DiffText';
import { Excerpt } from './Excerpt';
import { isShown, type Listed } from './findings';
import { Further } from './Further';
import { LabelButtons, useLabels } from './labels';
import { Inline, Prose } from './Prose';
import { WORD_HELP, WORTHS } from './proof';
import { type Reading, diffAddress, proofAddress, useReading } from './reading';
import { Recheck } from './Recheck';
import { Reproduction } from './Reproduction';
import { Searches } from './Searches';
import { Packages, Patch } from './Support';
import { counted, oneLine, sentenceCase, visible } from './text';

export default function Proof({ anchor }: { anchor: string }) {
  const reading = useReading();
  const id = [...reading.anchors].find(([, name]) => name === anchor)?.[0];
  const candidate = id === undefined ? undefined : reading.known.get(id);
  if (!candidate) {
    return <div className="frame"><h1>No such finding</h1><p>This report has no finding at that address. <Link href={`/review/${reading.summary.review_id}`}>To the report</Link></p></div>;
  }
  return <ProofOf candidate={candidate} reading={reading} />;
}

function ProofOf({ candidate, reading }: { candidate: Listed; reading: Reading }) {
  const { finding } = candidate;
  const labels = useLabels();
  const [, go] = useLocation();
  const title = oneLine(candidate.view.title);
  useTitle(title);
  const all: Listed[] = isShown(candidate) ? reading.shown : reading.withheld;
  const at = all.findIndex((one) => one.id === candidate.id);
  const other = (by: number) => all[(at + by + all.length) % all.length];
  const move = (by: number) => {
    const next = other(by);
    if (next) go(proofAddress(reading, next.id));
  };
  const mark = (label: 'valid' | 'wrong' | 'nit') => labels.mayMark && void labels.mark(candidate.id, label);
  const back = isShown(candidate) ? diffAddress(reading, candidate.id) : `/review/${reading.summary.review_id}/withheld`;
  useKeys({ j: () => move(1), k: () => move(-1), v: () => mark('valid'), w: () => mark('wrong'), n: () => mark('nit'), Escape: () => go(back) });
  return (
    <div className="frame proof-page">
      <nav className="crumbs" aria-label="Where this is">
        <Link href={back}>← {isShown(candidate) ? 'In the diff' : 'Withheld'}</Link>
        <span className="grow" />
        <button type="button" onClick={() => move(-1)} title="Previous (k)">↑ Previous</button>
        <span className="position">{at + 1} of {all.length}</span>
        <button type="button" onClick={() => move(1)} title="Next (j)">↓ Next</button>
      </nav>
      <Fragment key={candidate.id}>
        <article className={`card lead-card ${finding?.severity ?? 'none'}`}>
          <h1>{finding ? <span className={`badge ${finding.severity}`}>{finding.severity}</span> : null} <Inline text={title} /></h1>
          {finding ? <p className="place"><code>{oneLine(candidate.view.place)}</code> {isShown(candidate) ? candidate.view.standing.map((word) => <span key={word} className={`word ${word === 'blocks' ? 'blocks' : ''}`} title={WORD_HELP[word]}>{word}</span>) : null}</p> : null}
          {candidate.view.withheld ? <p className="withheld-why"><strong>Withheld: {candidate.view.withheld.why}.</strong> <WithheldDetail candidate={candidate} reading={reading} /></p> : null}
          {finding ? <Prose text={finding.message} /> : <pre>{visible(JSON.stringify(candidate.raw, null, 1) ?? '', '\n')}</pre>}
          <Further candidate={candidate} isWhole />
          {finding?.suggestion ? <div className="todo"><strong>To do</strong><Prose text={finding.suggestion} /></div> : null}
          <footer className="card-foot">
            <span className="soft">{candidate.view.proof_line.map((one) => oneLine(one, 160)).join(' · ')}</span>
            <span className="card-tools"><span className="hint">Is it right?</span> <LabelButtons id={candidate.id} title={title} /></span>
          </footer>
          {labels.problem ? <p className="alarm" role="alert">{labels.problem.message}</p> : null}
        </article>
        <div className="columns proof-columns">
          <div>
            <Part title="Code"><Excerpt candidate={candidate} around={8} /><QuoteWords candidate={candidate} /></Part>
            <Cause candidate={candidate} />
            {candidate.reproduction || finding?.verification?.reproduction ? <Part title="Reproduction"><Reproduction candidate={candidate} /></Part> : null}
            {candidate.searches.length ? <Part title={counted(candidate.searches.length, 'search', 'searches')}><Searches candidate={candidate} /></Part> : null}
            {candidate.dependency_quotes.length ? <Part title="Code of packages"><Packages candidate={candidate} /></Part> : null}
            {finding?.verification?.patch || candidate.patch_trial ? <Part title="Patch"><Patch candidate={candidate} /></Part> : null}
            <Part title="Verification"><Judgements candidate={candidate} /></Part>
          </div>
          <div>
            <Recheck candidate={candidate} />
            <Part title="Details"><Marks candidate={candidate} /></Part>
          </div>
        </div>
      </Fragment>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return <section className="sheet"><h2>{title}</h2>{children}</section>;
}

function WithheldDetail({ candidate, reading }: { candidate: Listed; reading: Reading }) {
  const { detail = '', leader = null } = candidate.view.withheld ?? {};
  const said = <Inline text={oneLine(detail, 1_000)} />;
  return leader === null ? said : <Link href={proofAddress(reading, leader)}>{said}</Link>;
}

function QuoteWords({ candidate }: { candidate: Listed }) {
  const evidence = candidate.finding?.verification;
  return (
    <>
      <p>{sentenceCase(oneLine(candidate.view.quote_said, 500))}.{candidate.quote?.detail && candidate.quote.outcome !== 'exact' ? ` ${oneLine(candidate.quote.detail, 300)}` : ''}{candidate.quote?.blob ? <span className="soft"> Blob <code>{candidate.quote.blob.slice(0, 12)}</code>.</span> : null}</p>
      {evidence ? (
        <dl className="claim-list">
          <dt>How it was checked</dt><dd><Inline text={oneLine(evidence.verification_method, 1_000)} /></dd>
          {evidence.where_checked ? <><dt>Handled elsewhere?</dt><dd>Looked in {oneLine(evidence.where_checked, 600)}</dd></> : null}
          {evidence.failing_input ? <><dt>When</dt><dd><AsCode text={oneLine(evidence.failing_input, 1_000)} /></dd></> : null}
          {evidence.wrong_outcome ? <><dt>Then</dt><dd><AsCode text={oneLine(evidence.wrong_outcome, 1_000)} /></dd></> : null}
        </dl>
      ) : null}
    </>
  );
}

/** Code, unless it marks its code itself. */
function AsCode({ text }: { text: string }) {
  return text.includes('`') ? <Inline text={text} /> : <code>{text}</code>;
}

/** The change behind an impact finding. */
function Cause({ candidate }: { candidate: Listed }) {
  const { cause } = candidate.view;
  if (!cause) return null;
  return (
    <Part title="Caused by the change">
      <p><code>{oneLine(cause.file)}</code>{cause.symbol ? <> · <code>{oneLine(cause.symbol)}</code></> : null}{cause.line === null ? '' : `, line ${cause.line}`}. The code above was not touched; this was.</p>
      {cause.lines.length ? <DiffText label="The changed lines" lines={[`@@ line ${cause.line} @@`, ...cause.lines.map((line) => line.mark + line.text)]} /> : null}
    </Part>
  );
}

function Judgements({ candidate }: { candidate: Listed }) {
  const said = candidate.judgements;
  const others = candidate.view.agreed_by;
  return (
    <>
      {said.length === 0 ? <p className="soft">Not verified by a model.</p> : null}
      <ol className="judgements">
        {said.map((one, index) => (
          <li key={index} className={one.judgment ?? 'none'}>
            <strong>{sentenceCase(oneLine(candidate.view.judged[index] ?? ''))}</strong>{one.worth ? <span className="word">{WORTHS[one.worth] ?? one.worth}</span> : null}{one.severity ? <span className="word">{one.severity}</span> : null}{one.scenario ? <span className="word">{one.scenario}</span> : null}
            {one.reason ? <Prose text={one.reason} /> : null}
          </li>
        ))}
      </ol>
      {others.length ? <p>Also found by {others.map((one) => oneLine(one, 60)).join(', ')}, independently.</p> : null}
      {candidate.said_by.length ? <p>Commented on before the review by {candidate.said_by.map((one) => oneLine(one, 60)).join(', ')}.</p> : null}
      {candidate.claimed_severity ? <p>Claimed as {candidate.claimed_severity}.</p> : null}
    </>
  );
}

function Marks({ candidate }: { candidate: Listed }) {
  return (
    <>
      <dl className="claim-list">
        <dt>Found by</dt><dd>{oneLine(candidate.view.found_by, 60)} ({candidate.kind})</dd>
        {candidate.finding?.rule_id ? <><dt>Rule</dt><dd><code>{oneLine(candidate.finding.rule_id)}</code></dd></> : null}
        <dt>Status</dt><dd>{candidate.status.replace('_', ' ')}</dd>
        <dt>Worth</dt><dd>{WORTHS[candidate.worth] ?? candidate.worth}</dd>
        <dt>Confidence</dt><dd>{candidate.confidence}</dd>
        <dt>Fingerprint</dt><dd><code>{candidate.fingerprint || '–'}</code></dd>
        <dt>Id</dt><dd><code>{oneLine(candidate.id)}</code></dd>
      </dl>
      {candidate.first_wording ? <details className="fold"><summary>First wording</summary><p><strong>{oneLine(candidate.first_wording.title)}</strong></p><Prose text={candidate.first_wording.message} /></details> : null}
      <ol className="steps">{candidate.steps.map((step, index) => <li key={index}><b>{step.stage}</b> {oneLine(step.what)}</li>)}</ol>
    </>
  );
}
