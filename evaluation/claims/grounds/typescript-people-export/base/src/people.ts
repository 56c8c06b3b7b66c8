export interface Person {
  id: number;
  name: string;
  email: string;
}

export interface People {
  all(): Promise<Person[]>;
}
