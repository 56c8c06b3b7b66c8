/** What a finding stands for beside its own place, each with a way to it. */
import { Link } from 'wouter';
import { type Candidate, inDiff, placeOf, type Said, sideOf } from './findings';
import { Inline } from './Prose';
import { lineAddress, proofAddress, type Reading, useReading } from './reading';
import { counted, oneLine } from './text';
import { account, isJudged, lineAnchor, lines, NOTHING_UNDER } from './under';

const MOST_LINES = 12;
const MOST_ACCOUNTS = 10;

/** `isHere`: the diff is on this very page. `isWhole`: nothing is left to another page. */
export function Further({ candidate, isHere = false, isWhole = false }: { candidate: Candidate; isHere?: boolean; isWhole?: boolean }) {
  const reading = useReading();
  const { places, accounts } = reading.under.get(candidate.id) ?? NOTHING_UNDER;
  const each = lines(places);
  const some = isWhole ? each : each.slice(0, MOST_LINES);
  const told = isWhole ? accounts : accounts.slice(0, MOST_ACCOUNTS);
  const more = <T,>(all: T[], shown: T[]) => (all.length > shown.length ? <Link href={proofAddress(reading, candidate.id)}>{all.length - shown.length} more</Link> : null);
  return (
    <>
      {each.length ? (
        <p className="further"><strong>Also at</strong> {each.length === 1 ? 'line' : 'lines'} {some.map((one, index) => <span key={one.id}>{index ? ', ' : ''}<Line place={one} reading={reading} isHere={isHere} /></span>)}{each.length > some.length ? ', ' : ''}{more(each, some)}</p>
      ) : null}
      {accounts.length ? (
        <div className="further">
          <strong>Also said</strong>
          <ul>
            {told.map((one) => <li key={one.id}>{one.finding ? <><Link href={proofAddress(reading, one.id)}><code>{oneLine(placeOf(one.finding))}</code></Link> </> : null}<Inline text={account(one)} />{isJudged(one) ? null : <span className="hint"> (not judged by itself)</span>}</li>)}
            {accounts.length > told.length ? <li>{more(accounts, told)}</li> : null}
          </ul>
        </div>
      ) : null}
    </>
  );
}

/** Its line in the diff; where the diff has it not, its own proof. */
function Line({ place: { id, finding }, reading, isHere }: { place: Said; reading: Reading; isHere: boolean }) {
  const isShown = inDiff(reading.report.change.files, { side: sideOf(finding), line: finding.line, path: finding.file });
  if (isShown && isHere) return <a href={`#${lineAnchor(finding)}`}>{finding.line}</a>;
  return <Link href={isShown ? lineAddress(reading, finding) : proofAddress(reading, id)}>{finding.line}</Link>;
}

/** The same for a text that is copied. */
export function furtherWords(reading: Reading, candidate: Candidate): string[] {
  const { places, accounts } = reading.under.get(candidate.id) ?? NOTHING_UNDER;
  const numbers = lines(places).map((one) => one.finding.line);
  const named = [...numbers.slice(0, MOST_LINES).map(String), ...(numbers.length > MOST_LINES ? [`${numbers.length - MOST_LINES} more`] : [])];
  return [
    ...(numbers.length ? [`Also at ${numbers.length === 1 ? 'line' : 'lines'} ${named.join(', ')}`] : []),
    ...accounts.slice(0, MOST_ACCOUNTS).map((one) => `Also said: ${one.finding ? `\`${placeOf(one.finding)}\` ` : ''}${account(one)}${isJudged(one) ? '' : ' (not judged by itself)'}`),
    ...(accounts.length > MOST_ACCOUNTS ? [`Also said: ${counted(accounts.length - MOST_ACCOUNTS, 'more account')}`] : []),
  ];
}
