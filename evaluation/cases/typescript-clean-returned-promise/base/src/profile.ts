import type { Client } from "./client";

export async function profile(client: Client, user: string): Promise<string> {
  return await client.get(`/users/${encodeURIComponent(user)}`);
}

export async function avatar(client: Client, user: string): Promise<string> {
  return await client.get(`/users/${encodeURIComponent(user)}/avatar`);
}

export async function avatarOrNothing(client: Client, user: string): Promise<string | undefined> {
  try {
    return await avatar(client, user);
  } catch {
    return undefined;
  }
}
