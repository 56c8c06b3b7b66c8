export interface Directory {
  groupsOf(user: string): Promise<string[]>;
}
