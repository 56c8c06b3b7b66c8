/** Proving a finding again, in front of the user: the finding first, then the whole report. */
import { useEffect, useState } from 'react';
import { type Shape, send } from '../api/client';
import { Alert } from '../shell/Alert';
import { useMay } from '../shell/session';
import type { Candidate } from './findings';
import { useReading } from './reading';
import { counted, oneLine, seconds } from './text';

type Checked = Shape<'RecheckResult'>;
type Part = 'finding' | 'report';

interface Run {
  began: number;
  took: number | null;
  checked: Checked | null;
  problem: Error | null;
}

const KINDS: Record<string, string> = {
  change: 'The change', quote: 'The quote', search: 'A search', analyser: 'The analyser', judgement: 'The judgement', dismissal: 'The dismissal',
  verdict: 'The verdict', report: 'The report', signature: 'The signature', reproduction: 'The reproduction', behaviour: 'The behaviour',
};

export function Recheck({ candidate }: { candidate: Candidate }) {
  const { address } = useReading();
  const mayRun = useMay('submit');
  const [runs, setRuns] = useState<Partial<Record<Part, Run>>>({});
  const run = async (part: Part) => {
    const began = Date.now();
    const set = (more: Partial<Run>) => setRuns((before) => ({ ...before, [part]: { began, took: null, checked: null, problem: null, ...more } }));
    set({});
    try {
      const path = part === 'report' ? `${address}/recheck` : `${address}/findings/${encodeURIComponent(candidate.id)}/recheck`;
      set({ checked: await send<Checked>('POST', path), took: Date.now() - began });
    } catch (error) {
      set({ problem: error as Error, took: Date.now() - began });
    }
  };
  const isBusy = Object.values(runs).some((one) => one.took === null);
  if (!mayRun) return null;
  return (
    <section className="sheet" aria-labelledby="recheck">
      <h2 id="recheck">Recheck</h2>
      <p className="soft">Reads the commit again, looks for the quote again, runs the searches again, and asks the analyser again.</p>
      <p><button type="button" className="primary" onClick={() => void run('finding')} disabled={isBusy}>{runs.finding?.took === null ? 'Running …' : 'Run the proof again'}</button></p>
      {runs.finding ? <FindingAgain run={runs.finding} /> : null}
      {runs.finding?.checked ? (
        <p><button type="button" onClick={() => void run('report')} disabled={isBusy}>{runs.report?.took === null ? 'Running …' : 'Prove the whole report again'}</button></p>
      ) : null}
      {runs.report ? <ReportAgain run={runs.report} /> : null}
    </section>
  );
}

function FindingAgain({ run }: { run: Run }) {
  const { checked } = run;
  const isBare = checked !== null && checked.proofs.every((one) => !one.finding);
  return (
    <Progress run={run} what="Proving this finding">
      {checked ? (
        <>
          <p className={`outcome ${isBare ? 'unknown' : word(checked.holds)}`}>{isBare ? '? Nothing about this finding can be rechecked here.' : `${mark(checked.holds)} ${OF_FINDING[word(checked.holds)]}`} <span className="soft">{seconds(run.took ?? 0)}</span></p>
          <Proofs checked={checked} />
        </>
      ) : null}
    </Progress>
  );
}

function ReportAgain({ run }: { run: Run }) {
  const { checked } = run;
  const notHolding = checked?.proofs.filter((one) => one.holds === false) ?? [];
  return (
    <Progress run={run} what="Proving the whole report: every quote, every search, every analyser, then the verdict">
      {checked ? (
        <>
          <p className={`outcome ${word(checked.holds)}`}>{mark(checked.holds)} {overall(checked.holds, notHolding.length)} <span className="soft">{counted(checked.proofs.length, 'proof')}, {seconds(run.took ?? 0)}</span></p>
          {checked.holds === true ? null : <Proofs checked={{ ...checked, proofs: checked.proofs.filter((one) => one.holds !== true) }} />}
          {checked.on_its_word.length ? <details className="fold"><summary>Not verified independently ({checked.on_its_word.length})</summary><ul>{checked.on_its_word.map((one, index) => <li key={index}>{oneLine(one, 300)}</li>)}</ul></details> : null}
        </>
      ) : null}
    </Progress>
  );
}

function Progress({ run, what, children }: { run: Run; what: string; children: React.ReactNode }) {
  const [now, setNow] = useState(Date.now());
  const isBusy = run.took === null;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, [isBusy]);
  return (
    <>
      {isBusy ? <p className="proving"><span className="spinner" aria-hidden="true" /> {what} … <span className="soft" aria-hidden="true">{seconds(Math.max(0, now - run.began))}</span></p> : null}
      {run.problem ? <Alert problem={run.problem} /> : null}
      <div role="status">{isBusy ? <span className="visually-hidden">{what}</span> : children}</div>
    </>
  );
}

function Proofs({ checked }: { checked: Checked }) {
  return (
    <ul className="proofs">
      {checked.proofs.slice(0, 40).map((one, index) => <li key={index} className={word(one.holds)}><strong>{mark(one.holds)} {KINDS[one.kind] ?? oneLine(one.kind)}</strong> {oneLine(one.detail, 400)}</li>)}
    </ul>
  );
}

const word = (holds: boolean | null) => (holds === null ? 'unknown' : holds ? 'holds' : 'broken');
const mark = (holds: boolean | null) => (holds === null ? '?' : holds ? '✓' : '✗');

const OF_FINDING: Record<string, string> = {
  holds: 'The proof of this finding holds.',
  broken: 'The proof of this finding does not hold.',
  unknown: 'Not all of this finding can be proven again here.',
};

function overall(holds: boolean | null, broken: number): string {
  if (holds) return 'The whole report holds.';
  if (holds === null) return 'Not everything in the report could be proven again.';
  return broken ? `${counted(broken, 'proof')} of the report ${broken === 1 ? 'does' : 'do'} not hold.` : 'The report does not hold.';
}
