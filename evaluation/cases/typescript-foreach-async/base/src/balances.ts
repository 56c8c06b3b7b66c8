export type Balances = Map<string, number>;

export function nonZero(balances: Balances): [string, number][] {
  return [...balances].filter(([, cents]) => cents !== 0);
}
