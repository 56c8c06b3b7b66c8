/** What was handed in and is not said, each with its reason. */
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Listed } from './findings';
import { Inline } from './Prose';
import { proofAddress, type Reading } from './reading';
import { oneLine, sentenceCase } from './text';

const AT_FIRST = 100;

export function Withheld({ reading }: { reading: Reading }) {
  const [params, setParams] = useSearchParams();
  const chosen = params.get('reason');
  const setChosen = (reason: string | null) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (reason) next.set('reason', reason);
      else next.delete('reason');
      return next;
    }, { replace: true });
  const [isWhole, setWhole] = useState(false);
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const one of reading.withheld) found.set(codeOf(one), (found.get(codeOf(one)) ?? 0) + 1);
    return [...found].sort((one, other) => other[1] - one[1]);
  }, [reading]);
  const rows = reading.withheld.filter((one) => chosen === null || codeOf(one) === chosen);
  if (reading.withheld.length === 0) return <div className="frame withheld"><p className="nothing">Nothing was withheld: every finding is shown.</p><SetAside reading={reading} /></div>;
  return (
    <div className="frame withheld">
      <p className="soft">Nothing is dropped silently. These findings are not shown; each proof page says why.</p>
      <p className="chips" role="group" aria-label="Reasons">
        {counts.map(([reason, count]) => (
          <button key={reason} type="button" className="chip" aria-pressed={chosen === reason} onClick={() => setChosen(chosen === reason ? null : reason)}>{reasonOf(reading.withheld.find((one) => codeOf(one) === reason))} <span className="count">{count}</span></button>
        ))}
      </p>
      <ul className="withheld-list">
        {(isWhole ? rows : rows.slice(0, AT_FIRST)).map((one) => <li key={one.id}><Row candidate={one} reading={reading} /></li>)}
      </ul>
      {!isWhole && rows.length > AT_FIRST ? <button type="button" onClick={() => setWhole(true)}>Show all {rows.length}</button> : null}
      <SetAside reading={reading} />
    </div>
  );
}

/** What an analyser reported and its own part dropped before it was handed in. */
function SetAside({ reading: { view } }: { reading: Reading }) {
  const [isWhole, setWhole] = useState(false);
  const lines = view.set_aside_lines;
  if (!lines.length) return null;
  return (
    <section className="sheet" aria-labelledby="set-aside">
      <h2 id="set-aside">Dropped analyser results <span className="count">{view.set_aside_count}</span></h2>
      <p className="soft">Analysers reported these; each was dropped for the reason given.</p>
      <ul>{(isWhole ? lines : lines.slice(0, AT_FIRST)).map((one, index) => <li key={index}><Inline text={oneLine(one, 1_000)} /></li>)}</ul>
      {!isWhole && lines.length > AT_FIRST ? <button type="button" onClick={() => setWhole(true)}>Show all that are listed</button> : null}
    </section>
  );
}

/** It stands in addresses, where words would change. */
const codeOf = (candidate: Listed) => candidate.view.withheld?.code ?? '';
const reasonOf = (candidate: Listed | undefined) => candidate?.view.withheld?.why ?? '';

function Row({ candidate, reading }: { candidate: Listed; reading: Reading }) {
  const { finding, view } = candidate;
  return (
    <article className={`card ${finding?.severity ?? 'none'}`}>
      <h3>
        {finding ? <span className={`badge ${finding.severity}`}>{finding.severity}</span> : null}{' '}
        <Link href={proofAddress(reading, candidate.id)} className="title"><Inline text={oneLine(view.title)} /></Link>
      </h3>
      <p className="place">{finding ? <code>{oneLine(view.place)}</code> : null} <span className="word">{oneLine(view.found_by, 60)}</span></p>
      <p className="why"><strong>{sentenceCase(reasonOf(candidate))}</strong>{view.withheld?.detail ? <>: <Inline text={oneLine(view.withheld.detail, 600)} /></> : '.'}</p>
    </article>
  );
}
