export interface Client {
  get(path: string): Promise<string>;
}
