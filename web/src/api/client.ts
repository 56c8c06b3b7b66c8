/** Calls of the service: JSON in and out, the token on each, a failure as a `Problem` that says what to do. */
import { deleting, whileThere } from './gone';
import { Problem, problemOf } from './problem';
import type { components, paths } from './schema';

export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];
export type Path = keyof paths;

const TOKEN = 'affidavit.token';

// For as long as the tab is open, unless the user asked to stay signed in.
export function token(): string | null {
  return sessionStorage.getItem(TOKEN) ?? localStorage.getItem(TOKEN);
}

export function signIn(value: string, stay: boolean): void {
  signOut();
  (stay ? localStorage : sessionStorage).setItem(TOKEN, value);
}

export function signOut(): void {
  sessionStorage.removeItem(TOKEN);
  localStorage.removeItem(TOKEN);
}

export function headers(more: Record<string, string> = {}): Record<string, string> {
  const known = token();
  return known ? { ...more, Authorization: `Bearer ${known}` } : more;
}

export async function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await ask('GET', path, undefined, signal);
  return (await response.json()) as Answer;
}

export async function getText(path: string): Promise<string> {
  return (await ask('GET', path)).text();
}

export async function send<Answer>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
  const response = await ask(method, path, body);
  return response.status === 204 ? (undefined as Answer) : ((await response.json()) as Answer);
}

/** A file for the user's disk; a link could not carry the token. */
export async function download(path: string, name: string): Promise<void> {
  const response = await ask('GET', path);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Delete something; nothing of it is asked for from now on. */
export async function remove(address: string): Promise<void> {
  await deleting(address, () => call('DELETE', address));
}

function ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  return whileThere({ path, method, signal }, (stop) => call(method, path, body, stop));
}

async function call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      signal: signal ?? null,
      headers: headers(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, 'No answer', 'The service does not answer.', 'Is `affidavit serve` still running?');
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}
