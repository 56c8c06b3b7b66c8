import type { Handler } from "../http";
import type { People } from "../people";

export function countPeople(people: People): Handler {
  return async () => ({ status: 200, body: String((await people.all()).length) });
}
