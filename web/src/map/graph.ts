/** The map of a change as what can be walked: changed file → who depends on it → the line. */
import type { Shape } from '../api/client';

export type ContextMap = Shape<'ContextMap'>;
export type Tie = 'uses' | 'imports' | 'tests' | 'needed' | 'documents' | 'changes' | 'texts';

export interface Spot {
  line: number;
  side: 'base' | 'head';
  text: string;
  why: string;
  symbol: string;
  certainty: string;
  /** Changed files that this line is about; none: it is not known which. */
  of: string[];
}

export interface Neighbour {
  path: string;
  ties: Tie[];
  reasons: string[];
  /** Changed files that it hangs on. */
  of: string[];
  spots: Spot[];
  score: number;
}

export const TIES: Record<string, Tie> = {
  calls: 'uses', uses: 'uses', implements: 'uses', imports: 'imports', extended_by: 'needed', called_by: 'needed', imported_by: 'needed',
  tests: 'tests', documents: 'documents', changes_with: 'changes', shares_text: 'texts',
};

export const TIE_WORDS: Record<Tie, string> = {
  uses: 'uses it', imports: 'imports it', tests: 'tests it', needed: 'is used by it', documents: 'documents it', changes: 'often changes with it', texts: 'shares text with it',
};

/** Whether it may break when the change is wrong; what the change itself uses does not. */
export function depends(neighbour: Neighbour): boolean {
  return neighbour.ties.some((tie) => tie === 'uses' || tie === 'imports' || tie === 'tests');
}

/** Files around the change, the most related first. */
export function neighbours(map: ContextMap, changed: readonly string[]): Neighbour[] {
  const inChange = new Set(changed);
  const found = gather(map, inChange, (path) => !inChange.has(path));
  // What only its history or its text ties to the change hangs on all of it.
  for (const one of found) if (!one.of.length) one.of = [...changed];
  return found.sort((one, other) => other.score - one.score || one.path.localeCompare(other.path));
}

/** Changed files that depend on other changed files. */
export function inside(map: ContextMap, changed: readonly string[]): Neighbour[] {
  const inChange = new Set(changed);
  return gather(map, inChange, (path) => inChange.has(path)).filter((one) => one.of.length).sort((one, other) => changed.indexOf(one.path) - changed.indexOf(other.path));
}

function gather(map: ContextMap, inChange: ReadonlySet<string>, isWanted: (path: string) => boolean): Neighbour[] {
  const owners = symbolOwners(map);
  const found = new Map<string, Neighbour>();
  const tie = (path: string, kind: Tie, on: readonly string[]): Neighbour => {
    const one = found.get(path) ?? { path, ties: [], reasons: [], of: [], spots: [], score: 0 };
    found.set(path, one);
    push(one.ties, kind);
    for (const other of on) push(one.of, other);
    return one;
  };
  // A name that a file defines itself means its own, whoever else has one.
  const on = (path: string, targets: readonly string[]) => (targets.includes(path) ? [] : targets.filter((one) => inChange.has(one)));
  for (const file of map.related_files) {
    if (!isWanted(file.path)) continue;
    for (const reason of file.reasons) {
      const of = on(file.path, [...inChange].filter((path) => reason.detail.includes(path)));
      const one = tie(file.path, TIES[reason.kind] ?? 'uses', of);
      one.score = file.score;
      push(one.reasons, reason.detail);
      for (const line of reason.lines) addSpot(one, { line, side: 'head', text: '', why: reason.detail, symbol: '', certainty: '', of });
    }
  }
  for (const { path, symbol, definition, line, side, text, verification_method: why, certainty } of map.references) {
    const named = owners.get(symbol) ?? [];
    const isOwn = named.some((paths) => paths.includes(path));
    const of = isOwn ? [] : on(path, named.filter((paths) => !definition || paths.includes(definition)).flat());
    if (isWanted(path) && (of.length || !inChange.has(path))) addSpot(tie(path, 'uses', of), { line, side, text, why, symbol, certainty, of });
  }
  for (const { path, target, line, name, names } of map.importers) {
    const of = on(path, target ? [target] : []);
    if (isWanted(path) && target && (of.length || !inChange.has(path))) addSpot(tie(path, 'imports', of), { line, side: 'head', text: '', why: `imports ${name}`, symbol: names.join(', '), certainty: 'certain', of });
  }
  for (const one of found.values()) one.spots.sort((a, b) => a.line - b.line);
  return [...found.values()];
}

/** The lines that tie a file to one changed file, or to any. */
export function spotsOn(neighbour: Neighbour, file: string | null): Spot[] {
  return neighbour.spots.filter((one) => file === null || !one.of.length || one.of.includes(file));
}

/** For each name the definitions that the change touches, each as its files before and after. */
function symbolOwners(map: ContextMap): Map<string, string[][]> {
  const owners = new Map<string, string[][]>();
  for (const change of map.symbols) {
    const both = [change.base, change.head].filter((symbol) => symbol != null);
    const paths = [...new Set(both.map((symbol) => symbol.path))];
    for (const name of new Set(both.flatMap((symbol) => [symbol.name, symbol.qualified]))) {
      owners.set(name, [...(owners.get(name) ?? []), paths]);
    }
  }
  return owners;
}

function addSpot(neighbour: Neighbour, spot: Spot): void {
  const known = neighbour.spots.find((one) => one.line === spot.line && one.side === spot.side);
  if (!known) {
    neighbour.spots.push(spot);
    return;
  }
  const of = [...new Set([...known.of, ...spot.of])];
  if (!known.text && spot.text) Object.assign(known, spot);
  known.of = of;
}

function push<One>(list: One[], one: One): void {
  if (!list.includes(one)) list.push(one);
}
