/** What was handed in and is not said, each with its reason. */
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { type Candidate, countDropped, type Dropped, finder, placeOf, setAside, titleOf, unlistedOf } from './findings';
import { Inline } from './Prose';
import { REASONS, reasonWord } from './proof';
import { proofAddress, type Reading } from './reading';
import { oneLine } from './text';

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
    for (const one of reading.withheld) found.set(reasonOf(one), (found.get(reasonOf(one)) ?? 0) + 1);
    return [...found].sort((one, other) => other[1] - one[1]);
  }, [reading]);
  const rows = reading.withheld.filter((one) => chosen === null || reasonOf(one) === chosen);
  if (reading.withheld.length === 0) return <div className="frame withheld"><p className="nothing">Nothing was withheld: everything that was handed in is shown.</p><SetAside reading={reading} /></div>;
  return (
    <div className="frame withheld">
      <p className="soft">Nothing is dropped silently. Each of these was handed in and is not part of what the report says; the proof page of each says why.</p>
      <p className="chips" role="group" aria-label="Reasons">
        {counts.map(([reason, count]) => (
          <button key={reason} type="button" className="chip" aria-pressed={chosen === reason} title={REASONS[reason]} onClick={() => setChosen(chosen === reason ? null : reason)}>{reasonWord(reason)} <span className="count">{count}</span></button>
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
function SetAside({ reading }: { reading: Reading }) {
  const [isWhole, setWhole] = useState(false);
  const dropped = setAside(reading.report);
  if (!dropped.length) return null;
  return (
    <section className="sheet" aria-labelledby="set-aside">
      <h2 id="set-aside">Dropped before it was handed in <span className="count">{countDropped(dropped)}</span></h2>
      <p className="soft">Analysers reported these, and they do not count for the reason given.</p>
      <ul>{(isWhole ? dropped : dropped.slice(0, AT_FIRST)).map((one, index) => <li key={index}><span className="word">{oneLine(finder(one.specialist ?? 'an analyser'), 60)}</span> <Result note={one} /></li>)}</ul>
      {!isWhole && dropped.length > AT_FIRST ? <button type="button" onClick={() => setWhole(true)}>Show all that are listed</button> : null}
    </section>
  );
}

function Result({ note }: { note: Dropped }) {
  const result = note.set_aside;
  const unlisted = unlistedOf(note);
  if (unlisted) return <>{unlisted} more that are not listed: {oneLine(Object.entries(note.unlisted).map(([rule, count]) => `${rule} (${count})`).join(', '), 600)}</>;
  if (!result) return <Inline text={oneLine(note.detail, 600)} />;
  const place = result.line ? `${result.file}:${result.line}` : result.file;
  return <>{oneLine(result.rule, 100)} <code>{oneLine(place)}</code> <strong>{oneLine(result.reason, 600)}</strong>{result.message ? <>: <Inline text={oneLine(result.message, 600)} /></> : null}</>;
}

export function reasonOf(candidate: Candidate): string {
  return candidate.withheld?.code ?? 'finding_dropped';
}

function Row({ candidate, reading }: { candidate: Candidate; reading: Reading }) {
  const { finding } = candidate;
  const code = reasonOf(candidate);
  const leader = code === 'duplicate_of' ? reading.report.candidates.find((one) => one.id === candidate.withheld?.detail) : undefined;
  const refuted = candidate.judgements.findLast((one) => one.judgment === 'REFUTED');
  const detail = leader?.finding?.title ?? refuted?.reason ?? candidate.withheld?.detail ?? '';
  return (
    <article className={`card ${finding?.severity ?? 'none'}`}>
      <h3>
        {finding ? <span className={`badge ${finding.severity}`}>{finding.severity}</span> : null}{' '}
        <Link href={proofAddress(reading, candidate.id)} className="title"><Inline text={oneLine(titleOf(candidate))} /></Link>
      </h3>
      <p className="place">{finding ? <code>{oneLine(placeOf(finding))}</code> : null} <span className="word">{oneLine(finder(candidate.specialist), 60)}</span></p>
      <p className="why"><strong>{REASONS[code] ?? code.replaceAll('_', ' ')}</strong>{detail ? <>: <Inline text={oneLine(detail, 600)} /></> : '.'}</p>
    </article>
  );
}
