/** What a finding stands for beside its own place, each with a way to it. */
import { Link } from 'wouter';
import { inDiff, lineAnchor, type Listed, sideOf } from './findings';
import { Inline } from './Prose';
import { lineAddress, proofAddress, type Reading, useReading } from './reading';
import { oneLine } from './text';

const MOST_LINES = 12;
const MOST_ACCOUNTS = 10;

/** `isHere`: the diff is on this very page. `isWhole`: nothing is left to another page. */
export function Further({ candidate, isHere = false, isWhole = false }: { candidate: Listed; isHere?: boolean; isWhole?: boolean }) {
  const reading = useReading();
  const { lines, places, accounts } = candidate.view;
  const each = [...new Map(lines.map((one) => [one.line, one])).values()];
  const cut = <T,>(all: T[], most: number) => (isWhole ? all : all.slice(0, most));
  const some = cut(each, MOST_LINES);
  const others = cut(places, MOST_LINES);
  const told = cut(accounts, MOST_ACCOUNTS);
  const more = (all: unknown[], shown: unknown[]) => (all.length > shown.length ? <Link href={proofAddress(reading, candidate.id)}>{all.length - shown.length} more</Link> : null);
  return (
    <>
      {each.length ? (
        <p className="further"><strong>Also at</strong> {each.length === 1 ? 'line' : 'lines'} {some.map((one, index) => <span key={one.id}>{index ? ', ' : ''}<Line id={one.id} reading={reading} isHere={isHere} /></span>)}{each.length > some.length ? ', ' : ''}{more(each, some)}</p>
      ) : null}
      {places.length ? (
        <div className="further">
          <strong>Also at</strong>
          <ul>
            {others.map((one) => <li key={one.id}><Link href={proofAddress(reading, one.id)}><code>{oneLine(one.place)}</code></Link> {one.code ? <code>{oneLine(one.code)}</code> : <Inline text={oneLine(one.said)} />}</li>)}
            {places.length > others.length ? <li>{more(places, others)}</li> : null}
          </ul>
        </div>
      ) : null}
      {accounts.length ? (
        <div className="further">
          <strong>Also found</strong>
          <ul>
            {told.map((one) => <li key={one.id}><Link href={proofAddress(reading, one.id)}><code>{oneLine(one.place)}</code></Link> {oneLine(one.by, 60)}: <Inline text={oneLine(one.said)} /></li>)}
            {accounts.length > told.length ? <li>{more(accounts, told)}</li> : null}
          </ul>
        </div>
      ) : null}
    </>
  );
}

/** Its line in the diff; where the diff has it not, its own proof. */
function Line({ id, reading, isHere }: { id: string; reading: Reading; isHere: boolean }) {
  const finding = reading.known.get(id)?.finding;
  if (!finding) return null;
  const isShown = inDiff(reading.report.change.files, { side: sideOf(finding), line: finding.line, path: finding.file });
  if (isShown && isHere) return <a href={`#${lineAnchor(finding)}`}>{finding.line}</a>;
  return <Link href={isShown ? lineAddress(reading, finding) : proofAddress(reading, id)}>{finding.line}</Link>;
}
