/** The map of a change as what can be walked: changed file → who depends on it → the line. */
import type { Shape } from '../api/client';

export type ContextMap = Shape<'ContextMap'>;
export type Tie = 'uses' | 'imports' | 'tests' | 'documents' | 'changes' | 'texts';
export type Direction = 'dependants' | 'dependencies';

export interface Spot {
  line: number;
  text: string;
  why: string;
  symbol: string;
  certainty: string;
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
  calls: 'uses', uses: 'uses', implements: 'uses', extended_by: 'uses', called_by: 'uses', imports: 'imports', imported_by: 'imports',
  tests: 'tests', documents: 'documents', changes_with: 'changes', shares_text: 'texts', resembles: 'texts',
};

export const TIE_WORDS: Record<Tie, string> = {
  uses: 'uses it', imports: 'imports it', tests: 'tests it', documents: 'documents it', changes: 'often changes with it', texts: 'shares text with it',
};

/** Files around the change, the most related first. */
export function neighbours(map: ContextMap, changed: readonly string[]): Neighbour[] {
  const inChange = new Set(changed);
  const owners = symbolOwners(map);
  const found = new Map<string, Neighbour>();
  const at = (path: string): Neighbour => {
    const known = found.get(path);
    if (known) return known;
    const fresh: Neighbour = { path, ties: [], reasons: [], of: [], spots: [], score: 0 };
    found.set(path, fresh);
    return fresh;
  };
  for (const file of map.related_files) {
    if (inChange.has(file.path)) continue;
    const one = at(file.path);
    one.score = file.score;
    for (const reason of file.reasons) {
      push(one.ties, TIES[reason.kind] ?? 'uses');
      push(one.reasons, reason.detail);
      for (const path of changed) if (reason.detail.includes(path)) push(one.of, path);
      for (const line of reason.lines) addSpot(one, { line, text: '', why: reason.detail, symbol: '', certainty: '' });
    }
  }
  for (const reference of map.references) {
    if (inChange.has(reference.path)) continue;
    const one = at(reference.path);
    push(one.ties, 'uses');
    for (const path of owners.get(reference.symbol) ?? []) push(one.of, path);
    addSpot(one, { line: reference.line, text: reference.text, why: reference.verification_method, symbol: reference.symbol, certainty: reference.certainty });
  }
  for (const one of map.importers) {
    if (inChange.has(one.path) || !one.target) continue;
    const neighbour = at(one.path);
    push(neighbour.ties, 'imports');
    push(neighbour.of, one.target);
    addSpot(neighbour, { line: one.line, text: '', why: `imports ${one.name}`, symbol: one.names.join(', '), certainty: 'certain' });
  }
  for (const one of found.values()) {
    if (!one.of.length) one.of = [...changed];
    one.of = one.of.filter((path) => inChange.has(path));
    one.spots.sort((a, b) => a.line - b.line);
  }
  return [...found.values()].sort((one, other) => other.score - one.score || one.path.localeCompare(other.path));
}

function symbolOwners(map: ContextMap): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const change of map.symbols) {
    for (const symbol of [change.base, change.head]) {
      if (!symbol) continue;
      for (const name of [symbol.name, symbol.qualified]) {
        const paths = owners.get(name) ?? [];
        push(paths, symbol.path);
        owners.set(name, paths);
      }
    }
  }
  return owners;
}

function addSpot(neighbour: Neighbour, spot: Spot): void {
  const known = neighbour.spots.find((one) => one.line === spot.line);
  if (!known) neighbour.spots.push(spot);
  else if (!known.text && spot.text) Object.assign(known, spot);
}

function push<One>(list: One[], one: One): void {
  if (!list.includes(one)) list.push(one);
}
