/** The events of a review as they happen: read with fetch, so that the token travels in a header; it resumes. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { NumberedEvent } from '../review/state';
import { headers } from './client';
import { whileThere } from './gone';
import { Problem, problemOf } from './problem';

export type Link = 'connecting' | 'live' | 'lost' | 'closed';

export interface Listener {
  heard: (events: NumberedEvent[]) => void;
  link: (link: Link) => void;
  refused: (problem: Problem) => void;
}

const ENDS = ['pipeline.completed', 'pipeline.failed', 'pipeline.cancelled'];
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** The service says something every 15 s; a connection that is silent for longer is dead. */
const SILENCE_MS = 40_000;

/** Listen until the review has ended or `signal` says stop; after a cut go on behind the last event heard. */
export async function listen(path: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let last = 0;
  let pause = FIRST_PAUSE_MS;
  const heard = (events: NumberedEvent[]) => {
    pause = FIRST_PAUSE_MS;
    last = Math.max(last, ...events.map((event) => event.id));
    listener.heard(events);
  };
  while (!signal.aborted) {
    listener.link('connecting');
    try {
      const ended = await whileThere({ path, signal }, (stop) => readOnce(path, last, stop, () => listener.link('live'), heard));
      if (ended) return listener.link('closed');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) {
        return listener.refused(error);
      }
    }
    if (signal.aborted) return;
    listener.link('lost');
    await rested(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

async function readOnce(
  path: string,
  last: number,
  signal: AbortSignal,
  opened: () => void,
  heard: (events: NumberedEvent[]) => void,
): Promise<boolean> {
  const silence = new AbortController();
  let alarm = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const known: Record<string, string> = last ? { 'Last-Event-ID': String(last) } : {};
    const response = await fetch(path, {
      headers: headers({ Accept: 'text/event-stream', ...known }),
      signal: AbortSignal.any([signal, silence.signal]),
      cache: 'no-store',
    });
    if (!response.ok || !response.body) throw await problemOf(response);
    opened();
    const heartbeat = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(alarm);
        alarm = setTimeout(() => silence.abort(), SILENCE_MS);
        controller.enqueue(chunk);
      },
    });
    return await readMessages(response.body.pipeThrough(heartbeat), heard);
  } finally {
    clearTimeout(alarm);
  }
}

/** True where the story came to its end. Messages that arrive together are handed on together. */
async function readMessages(body: ReadableStream<Uint8Array>, heard: (events: NumberedEvent[]) => void): Promise<boolean> {
  const decoded = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  const reader = decoded.pipeThrough(new EventSourceParserStream()).getReader();
  let waiting: NumberedEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let ended = false;
  const flush = () => {
    timer = null;
    if (waiting.length) heard(waiting);
    waiting = [];
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return ended;
      const data = parsed(value.data);
      const id = Number(value.id);
      if (!data || !Number.isFinite(id) || !value.id) continue;
      const type = value.event ?? 'message';
      waiting.push({ id, type, data, timestamp: String(data.timestamp ?? '') });
      ended ||= ENDS.includes(type);
      timer ??= setTimeout(flush, 30);
    }
  } finally {
    if (timer) clearTimeout(timer);
    flush();
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function rested(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
