/** Who looked at what, what did not run, what it cost, what the settings were. */
import type { ReactNode } from 'react';
import { Behaviour } from './Behaviour';
import { droppedOf, finder } from './findings';
import { Inline } from './Prose';
import type { Reading } from './reading';
import { money, moment, oneLine, seconds } from './text';

type Reply = Reading['report']['replies'][number];

const REPLIES: Record<Reply['state'], string> = {
  clean: 'nothing found', accepted: 'findings', all_dropped: 'every finding dropped', rejected: 'could not be read', none: 'did not run',
};
const KINDS: Record<Reply['kind'], string> = { mechanical: 'machine', model: 'model', outside: 'outside agent' };
const nameOf = (reply: Reply) => oneLine(finder(reply.specialist), 60);

export function Account({ reading }: { reading: Reading }) {
  const { report } = reading;
  const gaps = [...report.not_run, ...report.incomplete].map((one) => one.name);
  const idle = report.replies.filter((one) => one.state === 'none' && !gaps.some((name) => name.startsWith(nameOf(one)))).map(nameOf);
  return (
    <div className="frame account-page">
      <Block title="Purpose" isThere={Boolean(report.plan?.goal)}>
        <dl>
          <dt>Goal</dt><dd><Inline text={oneLine(report.plan?.goal ?? '', 1_000)} /></dd>
          <dt>Approach</dt><dd><Inline text={oneLine(report.plan?.approach ?? '', 1_000)} /></dd>
          <dt>Impact</dt><dd><Inline text={oneLine(report.plan?.impact ?? '', 1_000)} /></dd>
        </dl>
      </Block>
      <Block title="Reviewers">
        {idle.length ? <p className="soft">Nothing in the change to read for {idle.join(', ')}.</p> : null}
        <table className="plain"><thead><tr><th scope="col">Specialist</th><th scope="col">Kind</th><th scope="col">Reply</th><th scope="col" className="number">Findings</th><th scope="col" className="number">Dropped</th><th scope="col" className="number">Time</th></tr></thead>
          <tbody>{report.replies.filter((one) => !idle.includes(nameOf(one))).map((one, index) => (
            <tr key={index}><th scope="row">{nameOf(one)}{one.chunk === null ? '' : ` (part ${one.chunk})`}</th><td>{KINDS[one.kind]}</td><td>{REPLIES[one.state]}</td><td className="number">{one.findings}</td><td className="number">{Math.max(one.dropped, one.chunk === null ? droppedOf(report, one.specialist) : 0)}</td><td className="number">{seconds(one.duration_ms)}</td></tr>
          ))}</tbody></table>
      </Block>
      <Block title="Cost" isThere={report.usage.length > 0}>
        <table className="plain"><thead><tr><th scope="col">Role</th><th scope="col">Model</th><th scope="col" className="number">Requests</th><th scope="col" className="number">New tokens in</th><th scope="col" className="number">Repeated</th><th scope="col" className="number">Out</th><th scope="col" className="number">Cost</th><th scope="col" className="number">Of it repeated</th></tr></thead>
          <tbody>{report.usage.map((one, index) => (
            <tr key={index}><th scope="row">{one.role.replace('_', ' ')}</th><td>{oneLine(one.model)}</td><td className="number">{one.requests}</td><td className="number">{(one.input_tokens - one.cached_tokens).toLocaleString('en')}</td><td className="number">{one.cached_tokens.toLocaleString('en')}</td><td className="number">{one.output_tokens.toLocaleString('en')}</td><td className="number">{money(one.cost_usd)}</td><td className="number">{money(one.cost_usd === null ? null : one.cached_usd)}</td></tr>
          ))}</tbody></table>
      </Block>
      <Block title="Behaviour compared" isThere={report.behaviour.length > 0}><Behaviour reading={reading} /></Block>
      <Block title="Not run" isThere={report.not_run.length > 0}><Gaps gaps={reading.view.not_run} /></Block>
      <Block title="Incomplete" isThere={report.incomplete.length > 0}><Gaps gaps={reading.view.incomplete} /></Block>
      <Block title="Coverage">
        <table className="plain"><thead><tr><th scope="col">File</th><th scope="col">State</th><th scope="col">By</th></tr></thead>
          <tbody>{report.coverage.slice(0, 500).map((file) => (
            <tr key={file.path}><th scope="row" className="path">{oneLine(file.path)}</th><td>{file.state.replace('_', ' ')}{file.reason ? `: ${oneLine(file.reason.replaceAll('_', ' '))}` : ''}</td><td>{[...new Set(file.hunks.flatMap((hunk) => hunk.examined_by.map((name) => oneLine(finder(name), 60))))].join(', ')}</td></tr>
          ))}</tbody></table>
        {report.coverage.length > 500 ? <p className="hint">{report.coverage.length - 500} more files are in the native report.</p> : null}
      </Block>
      <Block title="Good decisions" isThere={Boolean(report.words?.positive_notes.length)}>
        <ul>{report.words?.positive_notes.map((note, index) => <li key={index}><code>{oneLine(note.file)}</code> <Inline text={oneLine(note.note, 600)} /></li>)}</ul>
      </Block>
      <Block title="Recommendations" isThere={Boolean(report.words?.recommendations.length)}>
        <ul>{report.words?.recommendations.map((one, index) => <li key={index}><Inline text={oneLine(one, 600)} /></li>)}</ul>
      </Block>
      <Block title="This report">
        <dl>
          <dt>Report</dt><dd><code>{report.id}</code></dd>
          <dt>Made</dt><dd>{moment(report.created_at)} in {seconds(report.duration_ms)}</dd>
          <dt>Affidavit</dt><dd>{report.affidavit_version}, prompts {report.prompt_version}, contract {report.schema_version}</dd>
          {reading.view.error_rate ? <><dt>Error rate here</dt><dd>{reading.view.error_rate}</dd></> : null}
        </dl>
      </Block>
      <Block title="Commits" isThere={report.change.commits.length > 0}>
        <ul>{report.change.commits.slice(0, 100).map((one) => <li key={one.sha}><code>{one.sha.slice(0, 8)}</code> {oneLine(one.subject)} <span className="soft">{oneLine(one.author, 80)}</span></li>)}</ul>
      </Block>
    </div>
  );
}

function Block({ title, isThere = true, children }: { title: string; isThere?: boolean; children: ReactNode }) {
  return isThere ? <section className="sheet"><h2>{title}</h2><div className="scroll-x" tabIndex={0} role="region" aria-label={title}>{children}</div></section> : null;
}

function Gaps({ gaps }: { gaps: readonly string[] }) {
  return <ul>{gaps.map((gap) => <li key={gap}><Inline text={oneLine(gap, 1_000)} /></li>)}</ul>;
}
