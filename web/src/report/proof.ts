/** Why a finding is believed, in plain words. */
import type { Shape } from '../api/client';
import { type Candidate, finder, isImpact, type Report, type Said } from './findings';
import { counted } from './text';

const QUOTES: Record<string, string> = {
  exact: 'quote checked',
  relocated: 'quote found elsewhere in the file',
  ambiguous: 'quote found several times',
  not_found: 'quote not found',
  not_quoted: 'no quote',
};

export const REPRODUCTIONS: Record<string, string> = {
  reproduced: 'reproduced: fails at head, passes at base',
  reproduced_new: 'reproduced in code that base lacks',
  not_reproduced: 'not reproduced',
  also_at_base: 'happens at base, too',
  flaky: 'not the same each time',
  could_not_run: 'could not be run',
};

export const REASONS: Record<string, string> = {
  refuted: 'The verifier refuted it',
  nit: 'True, and not worth anybody’s time',
  duplicate_of: 'Another finding stands for it',
  evidence_not_found: 'The quoted code is not in the file',
  absence_not_searched: 'It says that something is missing and declares no search',
  absence_disproved: 'What is said to be missing was found',
  below_threshold: 'Milder than what was asked for',
  out_of_focus: 'Outside of what was asked for',
  style_off: 'Style was not asked for',
  dismissed: 'People dismissed it',
  suppressed: 'A comment that the change adds silences it',
  finding_dropped: 'It could not be read as a finding',
  file_not_in_changed_files: 'It names a file that the change does not have',
  missing_required_field: 'A required field is missing',
  budget_exhausted: 'The budget ran out',
};

export function proofLine(candidate: Candidate): string[] {
  const said: string[] = [];
  const check = candidate.reproduction;
  if (check) said.push(REPRODUCTIONS[check.outcome] ?? check.outcome);
  said.push(QUOTES[candidate.quote?.outcome ?? 'not_quoted'] ?? '');
  const rule = candidate.finding?.rule_id;
  if (candidate.kind === 'mechanical' && rule) said.push(`${rule.replace('/', ' ')} at head, not at base`);
  else said.push(`found by ${finder(candidate.specialist)}`);
  if (candidate.searches.length) said.push(`${counted(candidate.searches.length, 'search', 'searches')} run`);
  const counting = candidate.judgements.filter((one) => one.by !== 'machine').at(-1);
  if (candidate.doubt) said.push('doubted by the verifier');
  else if (counting?.judgment) said.push(counting.judgment === 'CONFIRMED' ? 'confirmed by the verifier' : 'refuted by the verifier');
  else if (counting && counting.outcome !== 'answered') said.push('the verifier gave no answer');
  const others = agreeing(candidate);
  if (others.length) said.push(`also found by ${others.join(', ')}`);
  return said.filter(Boolean);
}

export function agreeing(candidate: Candidate): string[] {
  return [...new Set(candidate.agreed_by.map(finder))].filter((name) => name !== finder(candidate.specialist));
}

/** What a reader must know of its standing beside its severity. */
export function standing(candidate: Said, report: Report): string[] {
  const words: string[] = [candidate.finding.category];
  if (isImpact(candidate.finding)) words.push('outside the change');
  if (candidate.status !== 'verified') words.push(candidate.status.replace('_', ' '));
  if (candidate.doubt) words.push('doubted by the verifier');
  if (report.verdict.blocking.includes(candidate.id)) words.push('blocks');
  else if (report.gate.failed_by.includes(candidate.id)) words.push('fails the gate');
  return words;
}

export function judged(judgement: Shape<'Judgement'>): string {
  const who =
    judgement.by === 'machine' ? 'the machine' : judgement.by === 'ruling' ? 'all together' : (judgement.model ?? 'the verifier');
  const second = judgement.by === 'verifier' && judgement.role === 'second_verifier' ? ', the second verifier' : '';
  if (judgement.outcome !== 'answered') return `No answer from ${who}${second} (${judgement.outcome.replace('_', ' ')})`;
  if (!judgement.judgment) return `Worth judged by ${who}${second}`;
  const word = judgement.judgment === 'CONFIRMED' ? 'Confirmed' : 'Refuted';
  return `${word} by ${who}${second}${judgement.qualified ? ', with a reservation' : ''}`;
}

export function runEnd(run: Shape<'ProgramRun'>): string {
  if (run.state === 'exited') return `exit code ${run.exit_code}`;
  const ends: Record<string, string> = {
    timed_out: 'ended: it took too long',
    out_of_memory: 'ended: it took too much memory',
    too_many_processes: 'ended: it started too many processes',
    flooded: 'ended: it printed too much',
    not_started: 'not started',
  };
  return ends[run.state] ?? run.state;
}

export function markdownOf(candidate: Said): string {
  const { finding } = candidate;
  const lines = [`**${finding.severity}** ${finding.title}`, `\`${finding.file}:${finding.line}\` · ${proofLine(candidate).join(' · ')}`, '', finding.message];
  if (finding.suggestion) lines.push('', `To do: ${finding.suggestion}`);
  return lines.join('\n');
}
