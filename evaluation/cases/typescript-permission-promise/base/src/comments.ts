import { Forbidden } from "./articles";
import { mayEdit } from "./rights";

export async function removeComment(store: Map<string, string>, user: string, id: string) {
  if (!mayEdit(user)) {
    throw new Forbidden(`${user} may not remove comments`);
  }
  store.delete(id);
}
