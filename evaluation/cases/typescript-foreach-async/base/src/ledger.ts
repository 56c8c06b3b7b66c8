export interface Ledger {
  write(account: string, cents: number): Promise<void>;
  close(month: string): Promise<void>;
}
