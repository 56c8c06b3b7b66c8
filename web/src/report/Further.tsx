/** What a finding stands for beside its own place, each with a way to it. */
import { Link } from 'wouter';
import { type Candidate, inDiff, placeOf, type Said, sideOf } from './findings';
import { Inline } from './Prose';
import { lineAddress, proofAddress, type Reading, useReading } from './reading';
import { counted, oneLine } from './text';
import { account, codeAt, isJudged, lineAnchor, lines, NOTHING_UNDER } from './under';

const MOST_LINES = 12;
const MOST_ACCOUNTS = 10;

/** `isHere`: the diff is on this very page. `isWhole`: nothing is left to another page. */
export function Further({ candidate, isHere = false, isWhole = false }: { candidate: Candidate; isHere?: boolean; isWhole?: boolean }) {
  const reading = useReading();
  const { places, elsewhere, accounts } = reading.under.get(candidate.id) ?? NOTHING_UNDER;
  const each = lines(places);
  const others = isWhole ? elsewhere : elsewhere.slice(0, MOST_LINES);
  const some = isWhole ? each : each.slice(0, MOST_LINES);
  const told = isWhole ? accounts : accounts.slice(0, MOST_ACCOUNTS);
  const more = <T,>(all: T[], shown: T[]) => (all.length > shown.length ? <Link href={proofAddress(reading, candidate.id)}>{all.length - shown.length} more</Link> : null);
  return (
    <>
      {each.length ? (
        <p className="further"><strong>Also at</strong> {each.length === 1 ? 'line' : 'lines'} {some.map((one, index) => <span key={one.id}>{index ? ', ' : ''}<Line place={one} reading={reading} isHere={isHere} /></span>)}{each.length > some.length ? ', ' : ''}{more(each, some)}</p>
      ) : null}
      {elsewhere.length ? (
        <div className="further">
          <strong>Also at</strong>
          <ul>
            {others.map((one) => <li key={one.id}><Link href={proofAddress(reading, one.id)}><code>{oneLine(placeOf(one.finding))}</code></Link> <At place={one} /></li>)}
            {elsewhere.length > others.length ? <li>{more(elsewhere, others)}</li> : null}
          </ul>
        </div>
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

function At({ place }: { place: Said }) {
  const said = codeAt(place);
  return 'code' in said ? <code>{said.code}</code> : <Inline text={said.title} />;
}

/** Its line in the diff; where the diff has it not, its own proof. */
function Line({ place: { id, finding }, reading, isHere }: { place: Said; reading: Reading; isHere: boolean }) {
  const isShown = inDiff(reading.report.change.files, { side: sideOf(finding), line: finding.line, path: finding.file });
  if (isShown && isHere) return <a href={`#${lineAnchor(finding)}`}>{finding.line}</a>;
  return <Link href={isShown ? lineAddress(reading, finding) : proofAddress(reading, id)}>{finding.line}</Link>;
}

/** The same for a text that is copied. */
export function furtherWords(reading: Reading, candidate: Candidate): string[] {
  const { places, elsewhere, accounts } = reading.under.get(candidate.id) ?? NOTHING_UNDER;
  const numbers = lines(places).map((one) => one.finding.line);
  const named = [...numbers.slice(0, MOST_LINES).map(String), ...(numbers.length > MOST_LINES ? [`${numbers.length - MOST_LINES} more`] : [])];
  return [
    ...(numbers.length ? [`Also at ${numbers.length === 1 ? 'line' : 'lines'} ${named.join(', ')}`] : []),
    ...elsewhere.slice(0, MOST_LINES).map((one) => `Also at \`${placeOf(one.finding)}\`${words(codeAt(one))}`),
    ...(elsewhere.length > MOST_LINES ? [`Also at ${counted(elsewhere.length - MOST_LINES, 'more place')}`] : []),
    ...accounts.slice(0, MOST_ACCOUNTS).map((one) => `Also said: ${one.finding ? `\`${placeOf(one.finding)}\` ` : ''}${account(one)}${isJudged(one) ? '' : ' (not judged by itself)'}`),
    ...(accounts.length > MOST_ACCOUNTS ? [`Also said: ${counted(accounts.length - MOST_ACCOUNTS, 'more account')}`] : []),
  ];
}

function words(said: ReturnType<typeof codeAt>): string {
  return 'code' in said ? ` \`${said.code.replaceAll('`', "'")}\`` : ` ${said.title}`;
}
