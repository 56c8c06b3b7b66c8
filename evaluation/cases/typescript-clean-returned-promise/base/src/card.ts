import { avatarOrNothing, profile } from "./profile";
import type { Client } from "./client";

export async function card(client: Client, user: string): Promise<string> {
  const [text, picture] = await Promise.all([profile(client, user), avatarOrNothing(client, user)]);
  return picture ? `${picture}\n${text}` : text;
}
