/** Why a finding is believed, in plain words. */
import type { Shape } from '../api/client';
import { type Candidate, finder, type Hunk, isImpact, type Report, type Said } from './findings';
import { counted } from './text';

// These words are those of the other formats (render/report/proof/); a test compares them.
const QUOTES: Record<string, string> = {
  exact: 'quote found in the commit',
  relocated: 'quote found elsewhere in the file',
  ambiguous: 'quote found several times in the file',
  not_found: 'quote not found in the commit',
  not_quoted: 'no quote',
};

export const REPRODUCTIONS: Record<string, string> = {
  reproduced: 'shown by running a program: fails after the change, not before',
  reproduced_new: 'shown by running a program, in code that is new',
  not_reproduced: 'its program did not show it',
  also_at_base: 'its program does the same before the change',
  flaky: 'its program does not do the same twice',
  could_not_run: 'its program could not be run',
};

const OWN_ANALYSERS = ['code', 'references', 'tests'];

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
  suppressed: 'The change itself silences it',
  finding_dropped: 'It could not be read as a finding',
  file_not_in_changed_files: 'It names a file that the change does not have',
  missing_required_field: 'A required field is missing',
  budget_exhausted: 'The budget ran out',
};

/** A reason in a word or two, for a chip or a legend. */
export function reasonWord(code: string): string {
  return SHORT_REASONS[code] ?? code.replaceAll('_', ' ');
}

const SHORT_REASONS: Record<string, string> = {
  duplicate_of: 'duplicates',
  nit: 'nits',
  finding_dropped: 'not readable',
  file_not_in_changed_files: 'file not in the change',
  evidence_not_found: 'quote not found',
  absence_not_searched: 'absence not searched',
};

/** Whether it was shown by running a program, proven by an analyser, or only read. */
export function howShown(candidate: Candidate): string {
  const outcome = candidate.reproduction?.outcome ?? '';
  const ran = REPRODUCTIONS[outcome] ?? outcome;
  if (['reproduced', 'reproduced_new'].includes(outcome)) return ran;
  if (candidate.kind === 'mechanical') {
    const how = OWN_ANALYSERS.includes(candidate.specialist) ? 'comparing both sides' : 'an analyser';
    const named = (candidate.finding?.rule_id ?? candidate.specialist).replace('/', ' ');
    const isSeenNow = !candidate.carried || candidate.carried.is_repeated;
    return `proven by ${how} (${named}), ${isSeenNow ? 'new with this change' : 'in an earlier review'}`;
  }
  if (candidate.judgements.some((one) => one.run && one.judgment === 'CONFIRMED')) return 'shown by a program that the verifier ran';
  return ran ? `only read; ${ran}` : 'only read, not run';
}

export function proofLine(candidate: Candidate): string[] {
  const said: string[] = [howShown(candidate), QUOTES[candidate.quote?.outcome ?? 'not_quoted'] ?? ''];
  if (candidate.kind === 'model') said.push(`found by a model (${finder(candidate.specialist)})`);
  if (candidate.kind === 'outside') said.push(`handed in by ${finder(candidate.specialist)}`);
  if (candidate.searches.length) said.push(`${counted(candidate.searches.length, 'search', 'searches')} run again`);
  const counting = candidate.judgements.filter((one) => one.by !== 'machine').at(-1);
  if (counting?.judgment) said.push(counting.judgment === 'CONFIRMED' ? 'confirmed by the verifier' : 'refuted by the verifier');
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
  if (report.verdict.blocking.includes(candidate.id)) words.push('blocks');
  else if (report.gate.failed_by.includes(candidate.id)) words.push('fails the gate');
  return words;
}

const MOST_LINES = 40;

/** Of the hunk that touches a name, the lines around it; of a change that names none, how it begins. */
export function guiltyPart(hunks: readonly Hunk[], name: string): string[] {
  const touches = (line: string) => name !== '' && line[0] !== ' ' && line.includes(name);
  const hunk = hunks.find((one) => one.lines.some(touches)) ?? hunks[0];
  if (!hunk) return [];
  const at = Math.max(0, hunk.lines.findIndex(touches));
  const first = hunk.lines.length > MOST_LINES ? Math.min(Math.max(0, at - 10), hunk.lines.length - MOST_LINES) : 0;
  const shown = hunk.lines.slice(first, first + MOST_LINES);
  const left = hunk.lines.length - first - shown.length;
  const head = `@@ -${hunk.old_start},${hunk.old_count} +${hunk.new_start},${hunk.new_count} @@ ${hunk.heading}`.trimEnd();
  return [head, ...(first ? [`  … ${counted(first, 'line')} before`] : []), ...shown, ...(left ? [`  … ${counted(left, 'more line')}`] : [])];
}

/** Whether a maintainer would act on it in this change. */
export const WORTHS: Record<string, string> = {
  act: 'worth acting on',
  maybe: 'perhaps worth acting on',
  nit: 'not worth acting on',
};

/** What the words beside a finding mean, for whoever asks. */
export const WORD_HELP: Record<string, string> = {
  blocks: 'It counts at the gate, and is critical or high: the verdict asks for changes because of it',
  'fails the gate': 'As severe as the gate for builds, or worse: a build that asks for this review fails',
  'outside the change': 'In code that the change does not touch and breaks',
  likely: 'Confirmed with a reservation: the code that was seen leaves it open; alone it does not block',
  unverified: 'The verifier gave no answer on it; alone it does not block',
};

export function judged(judgement: Shape<'Judgement'>): string {
  const who =
    judgement.by === 'machine' ? 'the machine' : judgement.by === 'ruling' ? 'all together' : (judgement.model ?? 'the verifier');
  const second = judgement.by === 'verifier' && judgement.role === 'second_verifier' ? ', the second verifier' : '';
  if (judgement.outcome !== 'answered') return `No answer from ${who}${second} (${judgement.outcome.replace('_', ' ')})`;
  if (!judgement.judgment) return `Worth judged by ${who}${second}`;
  const word = judgement.judgment === 'CONFIRMED' ? 'Confirmed' : 'Refuted';
  return `${word} by ${who}${second}${judgement.qualified ? ', with a reservation' : ''}`;
}

const PACKAGES: Record<string, string> = {
  exact: 'the quote stands there word for word.',
  relocated: 'the quote stands there, at other lines than were named.',
  ambiguous: 'the quote stands there several times.',
  not_found: 'the quote does not stand there.',
  other_file: 'the file here is another one than was quoted.',
  not_here: 'the package is not here to look at.',
};

export function packageWords(check: Shape<'DependencyCheck'>): string {
  return PACKAGES[check.outcome] ?? check.outcome;
}

/** Only a patch that holds may be offered; the same words as in the HTML report. */
export function patchWords({ patch_trial: trial }: Pick<Candidate, 'patch_trial'>): string {
  if (!trial) return 'A patch that nobody has tried, as text';
  if (!trial.holds) return 'A patch that was tried and fails, as text';
  const untried = trial.steps.filter((step) => step.passed === null).map((step) => step.name);
  if (untried.length === 0) return 'A patch that was tried and holds';
  return `A patch that holds as far as it was tried (not tried: ${untried.join(', ')})`;
}

export function stepWords(passed: boolean | null): string {
  return passed === null ? 'not tried' : passed ? 'passed' : 'failed';
}

export function runEnd(run: Shape<'ProgramRun'>): string {
  if (run.state === 'exited') return `exit code ${run.exit_code}`;
  const ends: Record<string, string> = {
    timed_out: 'ended: it took too long',
    out_of_memory: 'ended: it took too much memory',
    out_of_disk: 'ended: its disk was full',
    too_many_processes: 'ended: it started too many processes',
    flooded: 'ended: it printed too much',
    not_started: 'not started',
  };
  return ends[run.state] ?? run.state;
}

export function markdownOf(candidate: Said, further: readonly string[] = []): string {
  const { finding } = candidate;
  const lines = [`**${finding.severity}** ${finding.title}`, `\`${finding.file}:${finding.line}\` · ${proofLine(candidate).join(' · ')}`, '', finding.message];
  if (further.length) lines.push('', ...further.map((one) => `- ${one}`));
  if (finding.suggestion) lines.push('', `To do: ${finding.suggestion}`);
  return lines.join('\n');
}
