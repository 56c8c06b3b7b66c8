import { expect, test } from 'vitest';
import { deleting, isGone, whileThere } from './gone';

/** A request that only its signal ends. */
function open(path: string, method = 'GET') {
  const sent: AbortSignal[] = [];
  const answer = whileThere({ path, method }, (signal) => {
    sent.push(signal);
    return new Promise<string>((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason as Error)));
  });
  answer.catch(() => undefined);
  return { sent, answer };
}

test('what is open ends before the deletion is sent, and nothing is asked afterwards', async () => {
  const stream = open('/api/review/a1/stream');
  const late: string[] = [];
  const isStopped: boolean[] = [];
  await deleting('/api/review/a1', async () => {
    isStopped.push(...stream.sent.map((signal) => signal.aborted));
    const asked = whileThere({ path: '/api/review/a1/summary' }, async () => late.push('during'));
    asked.catch(() => undefined);
    await new Promise((done) => setTimeout(done, 5));
  });
  expect(isStopped).toEqual([true]);
  await expect(stream.answer).rejects.toMatchObject({ status: 410 });
  await expect(whileThere({ path: '/api/review/a1' }, async () => late.push('after'))).rejects.toMatchObject({ status: 410 });
  expect(late).toEqual([]);
  expect([isGone('/api/review/a1/summary'), isGone('/api/review/a12')]).toEqual([true, false]);
});

test('other addresses are left alone, however they begin', async () => {
  const other = open('/api/review/b12/stream');
  await deleting('/api/review/b1', async () => undefined);
  expect(other.sent.map((signal) => signal.aborted)).toEqual([false]);
  await expect(whileThere({ path: '/api/review?limit=5' }, async () => 'listed')).resolves.toBe('listed');
});

test('what was kept after all is asked for again; what is not safe to repeat is refused', async () => {
  const stream = open('/api/review/c1/stream');
  const recheck = open('/api/review/c1/recheck', 'POST');
  const waiting: string[] = [];
  await expect(deleting('/api/review/c1', async () => {
    void whileThere({ path: '/api/review/c1/summary' }, async () => waiting.push('asked'));
    throw new Error('refused');
  })).rejects.toThrow('refused');
  await new Promise((done) => setTimeout(done, 5));
  expect(stream.sent.map((signal) => signal.aborted)).toEqual([true, false]);
  await expect(recheck.answer).rejects.toMatchObject({ message: 'This was interrupted by a deletion.' });
  expect(recheck.sent).toHaveLength(1);
  expect(waiting).toEqual(['asked']);
  expect(isGone('/api/review/c1')).toBe(false);
});
