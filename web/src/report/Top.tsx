/** Verdict and why, what is under review, and what can be done with the report. */
import { isFile } from '../file/contents';
import { VERDICTS } from '../history/summary';
import { Again } from '../review/Again';
import { Deletion } from '../review/Deletion';
import { Exports } from './Exports';
import { nameOf, SEVERITIES } from './findings';
import { Inline } from './Prose';
import type { Reading } from './reading';
import { counted, money, oneLine, seconds } from './text';

export function Top({ reading }: { reading: Reading }) {
  const { report } = reading;
  const { change, verdict, gate } = report;
  // The service knows it by the name that people gave it; the change only by its folder.
  const repository = reading.summary.repository || change.repository;
  const { added, removed } = reading.view;
  const severities = SEVERITIES.filter((one) => (verdict.counts.by_severity[one] ?? 0) > 0);
  return (
    <header className={`verdict-head ${verdict.decision}`}>
      <div className="frame">
        <div className="verdict-line">
          <strong className="verdict">{VERDICTS[verdict.decision]}</strong>
          <span className="head-tools">{isFile ? null : <Exports reading={reading} />}{report.incomplete.length ? null : <Again reviewId={reading.summary.review_id} />}<Deletion reviewId={reading.summary.review_id} title={nameOf(change)} /></span>
        </div>
        <h1>{oneLine(nameOf(change)) || 'Review'}</h1>
        <p className="headline"><Inline text={oneLine(report.words?.summary || verdict.summary, 1_000)} /></p>
        <p className="facts">
          <span className={`fact ${gate.exit_code ? 'bad' : 'good'}`} title={reading.view.gate.slice(1).join('. ') || undefined}>{reading.view.gate[0]}</span>
          {severities.map((one) => <span key={one} className="fact"><span className={`badge ${one}`}>{one}</span> {verdict.counts.by_severity[one]}</span>)}
          <span className="fact">{counted(change.files.length, 'file')} <b className="plus">+{added}</b> <b className="minus">−{removed}</b></span>
          {repository || change.base.commit ? <span className="fact">{repository ? `${oneLine(repository, 80)} ` : ''}<code>{oneLine(reading.view.range, 100)}</code></span> : null}
          {change.request ? <span className="fact"><a href={safeLink(change.request)} rel="noreferrer">{oneLine(change.request, 80)}</a></span> : null}
          <span className="fact">{seconds(report.duration_ms)}{report.usage.length ? `, ${money(cost(reading))}` : ''}</span>
        </p>
        {report.incomplete.length ? (
          <div className="alarm"><strong>The review is incomplete.</strong>
            <ul>{reading.view.incomplete.map((gap) => <li key={gap}><Inline text={oneLine(gap, 1_000)} /></li>)}</ul>
            <div className="buttons"><Again reviewId={reading.summary.review_id} isPrimary /></div>
          </div>
        ) : null}
      </div>
    </header>
  );
}

export function cost({ report }: Reading): number | null {
  const asked = report.usage.filter((one) => one.requests > 0);
  // A part of the money is not the money.
  return asked.some((one) => one.cost_usd === null) ? null : asked.reduce((sum, one) => sum + (one.cost_usd ?? 0), 0);
}

/** An address that came with a change leads to a web page or nowhere. */
export function safeLink(address: string): string | undefined {
  return /^https?:\/\//i.test(address) ? address : undefined;
}
