export interface Article {
  id: string;
  title: string;
}

export type Prices = Record<string, number>;

export interface Exported {
  rows: string[];
  skipped: number;
}
