export interface Database {
  query<T>(sql: string, values: unknown[]): Promise<T[]>;
}
