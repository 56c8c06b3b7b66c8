/** What is deleted is not asked for: its requests end before the deletion is sent, and none follows. */
import { Problem } from './problem';

interface Deletion {
  address: string;
  isDone: Promise<boolean>;
  isGone: boolean;
}

interface Request {
  path: string;
  method?: string;
  signal?: AbortSignal | undefined;
}

const deletions = new Set<Deletion>();
const asking = new Map<AbortController, string>();

/** Ask for something; while it is being deleted wait, and go on only if it was kept. */
export async function whileThere<Answer>(request: Request, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const { path, method = 'GET', signal } = request;
  for (;;) {
    // Nothing may be awaited between this look and the request: a deletion could begin there.
    const deletion = [...deletions].find((one) => isBelow(path, one.address));
    if (deletion) {
      if (await deletion.isDone) throw new Problem(410, 'Gone', 'This was deleted.', 'What is left is in the history.');
      continue;
    }
    const stop = new AbortController();
    asking.set(stop, path);
    try {
      return await ask(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    } catch (error) {
      // What is not safe to do twice is not repeated.
      if (!stop.signal.aborted || signal?.aborted || method === 'POST') throw error;
    } finally {
      asking.delete(stop);
    }
  }
}

/** Delete what is at an address, with all that is below it. */
export async function deleting(address: string, remove: () => Promise<unknown>): Promise<void> {
  const removal = Promise.resolve().then(remove);
  const deletion: Deletion = {
    address,
    isGone: false,
    isDone: removal.then(() => {
      deletion.isGone = true;
      return true;
    }, () => {
      deletions.delete(deletion);
      return false;
    }),
  };
  deletions.add(deletion);
  const reason = new Problem(0, 'Interrupted', 'This was interrupted by a deletion.', 'Try it again.');
  for (const [stop, path] of asking) if (isBelow(path, address)) stop.abort(reason);
  await removal;
}

/** Whether it was deleted from this very page. */
export function isGone(path: string): boolean {
  return [...deletions].some((one) => one.isGone && isBelow(path, one.address));
}

function isBelow(path: string, address: string): boolean {
  return path === address || path.startsWith(`${address}/`) || path.startsWith(`${address}?`);
}
