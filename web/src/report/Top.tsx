/** Verdict and why, what is under review, and what can be done with the report. */
import { VERDICTS } from '../history/summary';
import { Again } from '../review/Again';
import { Deletion } from '../review/Deletion';
import { Exports } from './Exports';
import { lineTotals, nameOf, SEVERITIES } from './findings';
import { Inline } from './Prose';
import type { Reading } from './reading';
import { counted, gapWords, money, oneLine, seconds } from './text';

export function Top({ reading }: { reading: Reading }) {
  const { report } = reading;
  const { change, verdict, gate } = report;
  // The service knows it by the name that people gave it; the change only by its folder.
  const repository = reading.summary.repository || change.repository;
  const { added, removed } = lineTotals(change.files);
  const severities = SEVERITIES.filter((one) => (verdict.counts.by_severity[one] ?? 0) > 0);
  return (
    <header className={`verdict-head ${verdict.decision}`}>
      <div className="frame">
        <div className="verdict-line">
          <strong className="verdict">{VERDICTS[verdict.decision]}</strong>
          <span className="head-tools"><Exports reading={reading} />{report.incomplete.length ? null : <Again reviewId={reading.summary.review_id} />}<Deletion reviewId={reading.summary.review_id} title={nameOf(change)} /></span>
        </div>
        <h1>{oneLine(nameOf(change)) || 'Review'}</h1>
        <p className="headline"><Inline text={oneLine(report.words?.summary || verdict.summary, 1_000)} /></p>
        <p className="facts">
          <span className={`fact ${gate.exit_code ? 'bad' : 'good'}`} title={gateHelp(reading)}>{gateWords(reading)}</span>
          {severities.map((one) => <span key={one} className="fact"><span className={`badge ${one}`}>{one}</span> {verdict.counts.by_severity[one]}</span>)}
          <span className="fact">{counted(change.files.length, 'file')} <b className="plus">+{added}</b> <b className="minus">−{removed}</b></span>
          {repository || change.base.commit ? <span className="fact">{repository ? `${oneLine(repository, 80)} ` : ''}<code>{short(change.base)}..{short(change.head)}</code></span> : null}
          {change.request ? <span className="fact"><a href={safeLink(change.request)} rel="noreferrer">{oneLine(change.request, 80)}</a></span> : null}
          <span className="fact">{seconds(report.duration_ms)}{report.usage.length ? `, ${money(cost(reading))}` : ''}</span>
        </p>
        {report.incomplete.length ? (
          <div className="alarm"><strong>The review is incomplete.</strong>
            <ul>{report.incomplete.map((gap) => <li key={gap.name + gap.reason}><strong>{oneLine(gap.name)}</strong>: {gapWords(gap)}</li>)}</ul>
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

function gateWords({ report }: Reading): string {
  const { gate } = report;
  const words = ['passes the gate', 'fails the gate', 'could not be done', 'done in part'];
  return `${words[gate.exit_code]}${gate.fail_on ? ` (from ${gate.fail_on})` : ''}`;
}

function gateHelp({ report: { gate } }: Reading): string {
  const from = gate.fail_on ? `The gate for builds: a finding of severity ${gate.fail_on} or worse fails it: one that an analyser proved, or a model’s that is verified and worth acting on` : 'The gate for builds: nothing fails it';
  return `${from} (exit code ${gate.exit_code}).`;
}

function short(revision: { commit: string | null; name: string; tree: string }): string {
  return revision.commit?.slice(0, 8) ?? (revision.name || revision.tree.slice(0, 8));
}

/** An address that came with a change leads to a web page or nowhere. */
export function safeLink(address: string): string | undefined {
  return /^https?:\/\//i.test(address) ? address : undefined;
}
