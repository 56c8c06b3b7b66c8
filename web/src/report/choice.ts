/** The filters in the address, so that they outlive a reload and can be sent to somebody. */
import type { Choice } from './findings';

const NAMES: readonly (keyof Choice)[] = ['severity', 'category', 'status', 'specialist'];

export function choiceIn(params: URLSearchParams): Choice {
  const of = (name: keyof Choice) => [...new Set(params.getAll(name).filter(Boolean))];
  return { severity: of('severity'), category: of('category'), status: of('status'), specialist: of('specialist') };
}

/** The same address with another choice; whatever else stands in it stays. */
export function withChoice(params: URLSearchParams, choice: Choice): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const name of NAMES) {
    next.delete(name);
    for (const value of choice[name]) next.append(name, value);
  }
  return next;
}
