import { type Balances, nonZero } from "./balances";
import type { Ledger } from "./ledger";

export async function writeMonth(ledger: Ledger, balances: Balances): Promise<number> {
  const rows = nonZero(balances);
  for (const [account, cents] of rows) {
    await ledger.write(account, cents);
  }
  return rows.length;
}
