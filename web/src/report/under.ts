/** What one finding stands for: further places of its rule or cause, and what others said of the same problem. */
import { type Candidate, type Finding, finder, placeOf, type Said, SEVERITIES, sideOf, type Spot, titleOf } from './findings';
import { oneLine } from './text';

export interface Under {
  /** The same of the same rule in the same file. */
  places: Said[];
  /** Where else the machine proved the same to be wrong, each place once, the worst first. */
  elsewhere: Said[];
  /** Other effects of the same cause, and other words for it. */
  accounts: Candidate[];
}

export const NOTHING_UNDER: Under = { places: [], elsewhere: [], accounts: [] };

/** By the id of the finding that is shown for them; the same parting as in the other formats (proof/under.py). */
export function under(candidates: readonly Candidate[]): Map<string, Under> {
  const leaders = new Map(candidates.map((one) => [one.id, one]));
  const found = new Map<string, Under>();
  for (const one of [...candidates].sort(byPlace)) {
    if (one.withheld?.code !== 'duplicate_of') continue;
    const leader = leaders.get(one.withheld.detail);
    if (!leader) continue;
    const group = found.get(leader.id) ?? { places: [], elsewhere: [], accounts: [] };
    found.set(leader.id, group);
    if (isPlace(one, leader)) group.places.push(one);
    else group.accounts.push(one);
  }
  for (const [id, group] of found) partElsewhere(leaders.get(id)!, group);
  return found;
}

function byPlace(one: Candidate, other: Candidate): number {
  return (one.finding?.file ?? '').localeCompare(other.finding?.file ?? '') || (one.finding?.line ?? 0) - (other.finding?.line ?? 0) || one.id.localeCompare(other.id);
}

/** Two findings of a model have no rule in common: each says something of its own. */
function isPlace(one: Candidate, leader: Candidate): one is Said {
  if (!one.finding || !leader.finding?.rule_id) return false;
  return one.specialist === leader.specialist && one.finding.rule_id === leader.finding.rule_id && one.finding.file === leader.finding.file && one.finding.title === leader.finding.title && one.finding.line !== leader.finding.line;
}

/** What the leader's own analyser says of a place is the place, what others say of it an account. */
function partElsewhere(leader: Candidate, group: Under): void {
  if (!leader.finding || !isOpenByMachine(leader)) return;
  const at = new Map<string, Said>();
  const own = group.accounts.filter((one) => one.specialist === leader.specialist);
  for (const one of [...own, ...group.accounts]) {
    if (!hasPlace(one) || !isOpenByMachine(one) || placeOf(one.finding) === placeOf(leader.finding)) continue;
    if (!at.has(placeOf(one.finding))) at.set(placeOf(one.finding), one);
  }
  group.elsewhere = [...at.values()].sort((one, other) => SEVERITIES.indexOf(one.finding.severity) - SEVERITIES.indexOf(other.finding.severity) || byPlace(one, other));
  const places = new Set<Candidate>(group.elsewhere);
  group.accounts = group.accounts.filter((one) => !places.has(one));
}

function hasPlace(one: Candidate): one is Said {
  return one.finding !== null;
}

function isProven(candidate: Candidate): boolean {
  return candidate.kind === 'mechanical' && (!candidate.carried || candidate.carried.is_repeated);
}

/** Proven now, or in a review before and settled by nothing since. */
function isOpenByMachine(candidate: Candidate): boolean {
  return isProven(candidate) || (candidate.kind === 'mechanical' && candidate.status === 'verified');
}

/** Each line once. */
export function lines(places: readonly Said[]): Said[] {
  return [...new Map(places.map((one) => [one.finding.line, one])).values()];
}

/** Nobody may take a further effect for verified. */
export function isJudged(candidate: Candidate): boolean {
  return candidate.judgements.length > 0 || isProven(candidate);
}

/** The code at a further place; its title where no code is quoted. */
export function codeAt(place: Said): { code: string } | { title: string } {
  const quote = place.quote;
  const line = quote?.start ? quote.code.split('\n')[place.finding.line - quote.start] : undefined;
  return line?.trim() ? { code: oneLine(line.trim()) } : { title: oneLine(titleOf(place)) };
}

export function account(candidate: Candidate): string {
  return `${finder(candidate.specialist)}: ${oneLine(titleOf(candidate))}`;
}

/** The address of a line of the diff within its page. */
export function lineAnchor(finding: Finding): string {
  return `line-${sideOf(finding)}-${finding.line}-${encodeURIComponent(finding.file)}`;
}

/** What such an address names; `anchor` is decoded. */
export function spotIn(anchor: string): Spot | null {
  const found = /^line-(head|base)-(\d{1,9})-(.+)$/s.exec(anchor);
  return found ? { side: found[1] as Spot['side'], line: Number(found[2]), path: found[3]! } : null;
}
