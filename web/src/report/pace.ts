/** How fast the reader scrolls: what costs time waits until the eye can rest on it. */
import { useEffect, useState } from 'react';

/** Pixels a frame; beyond that nobody reads. */
const FAST = 200;
const REST_MS = 160;
/** A slow machine takes its time between two moves of one flight. */
const LULL_MS = 600;

export interface Pace {
  at: number;
  place: number;
  /** How many moves in a row were fast: one alone is a jump to a place. */
  inARow: number;
}

/** The pace after a move to `place`. */
export function moved(pace: Pace, place: number, now: number): Pace {
  const isFast = Math.abs(place - pace.place) > FAST && now - pace.at < LULL_MS;
  return { at: now, place, inARow: isFast ? pace.inARow + 1 : 0 };
}

export const isFlying = (pace: Pace, now: number): boolean => pace.inARow >= 2 && now - pace.at < LULL_MS;

let pace: Pace = { at: -Infinity, place: 0, inARow: 0 };
const waiting = new Set<() => void>();
let isPlanned = false;

if (typeof window !== 'undefined') {
  const look = () => {
    pace = moved(pace, window.scrollY, performance.now());
  };
  // Before the list hears of it, so that what it draws knows the pace.
  window.addEventListener('scroll', look, { capture: true, passive: true });
}

/** Do it when nothing moves; one thing at a time, so that whoever scrolls on is not held up. Returns how to call it off. */
export function whenResting(task: () => void): () => void {
  waiting.add(task);
  plan();
  return () => waiting.delete(task);
}

function plan(): void {
  if (isPlanned || !waiting.size) return;
  isPlanned = true;
  const left = REST_MS - (performance.now() - pace.at);
  const next = () => {
    isPlanned = false;
    if (performance.now() - pace.at >= REST_MS) doNext();
    plan();
  };
  if (left > 0) setTimeout(next, left);
  else requestIdleCallback(next, { timeout: 300 });
}

function doNext(): void {
  const [task] = waiting;
  if (!task) return;
  waiting.delete(task);
  task();
}

/** False for what comes into the page in full flight, until the reader rests. */
export function useIsDrawn(isWanted: boolean): boolean {
  const [isDrawn, setDrawn] = useState(() => isWanted || !isFlying(pace, performance.now()));
  useEffect(() => (isDrawn ? undefined : whenResting(() => setDrawn(true))), [isDrawn]);
  return isDrawn || isWanted;
}
