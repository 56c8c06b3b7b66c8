export interface Entry {
  account: string;
  cents: number;
  isVoid: boolean;
}
