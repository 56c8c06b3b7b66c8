import { mayEdit } from "./rights";

export class Forbidden extends Error {}

export async function saveArticle(store: Map<string, string>, user: string, id: string, text: string) {
  if (!mayEdit(user)) {
    throw new Forbidden(`${user} may not edit articles`);
  }
  store.set(id, text);
}
