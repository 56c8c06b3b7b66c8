/** All findings in a list, worst first; smaller points below. */
import { useState } from 'react';
import type { Said } from './findings';
import { useLabels } from './labels';
import { whose } from './marks';
import { Inline } from './Prose';
import type { Reading } from './reading';
import { counted, oneLine } from './text';

const AT_FIRST = 12;

interface Props {
  reading: Reading;
  chosen: Said[];
  current: string | null;
  jump: (id: string) => void;
}

export function FindingIndex({ reading, chosen, current, jump }: Props) {
  const standing = chosen.filter((one) => !one.view.is_folded);
  const folded = chosen.filter((one) => one.view.is_folded);
  if (reading.shown.length === 0) {
    return <p className="nothing">{reading.report.verdict.decision === 'approve' ? 'Nothing to say: everything was looked at, and nothing was found.' : 'No finding is shown.'}</p>;
  }
  return (
    <nav className="index" aria-label="Findings">
      {standing.length ? <Rows reading={reading} rows={standing} current={current} jump={jump} /> : null}
      {folded.length ? (
        <details className="fold" open={standing.length === 0}><summary>{counted(folded.length, 'smaller point')}</summary><Rows reading={reading} rows={folded} current={current} jump={jump} /></details>
      ) : null}
      {chosen.length === 0 ? <p className="soft">No finding fits the filters.</p> : null}
    </nav>
  );
}

function Rows({ reading, rows, current, jump }: { reading: Reading; rows: Said[]; current: string | null; jump: (id: string) => void }) {
  const [isWhole, setWhole] = useState(false);
  const labels = useLabels();
  const shown = isWhole ? rows : rows.slice(0, AT_FIRST);
  return (
    <>
      <ol>
        {shown.map((one) => {
          const mark = labels.of(one.id);
          return (
            <li key={one.id} aria-current={current === one.id ? 'true' : undefined}>
              <a href={`#${reading.anchors.get(one.id)}`} onClick={(event) => { event.preventDefault(); jump(one.id); }}>
                <span className={`badge ${one.finding.severity}`}>{one.finding.severity}</span>
                <span className="what"><Inline text={oneLine(one.finding.title)} /></span>
                {mark ? <span className={`word label ${mark.label}`} title={whose(mark)}>{mark.label}</span> : null}
                <small>{oneLine(one.view.place, 120)}</small>
                {one.view.is_folded ? <span className="said"><Inline text={oneLine(one.view.sentence)} /></span> : null}
              </a>
            </li>
          );
        })}
      </ol>
      {rows.length > shown.length ? <button type="button" className="quiet more" onClick={() => setWhole(true)}>Show all {rows.length}</button> : null}
    </>
  );
}
