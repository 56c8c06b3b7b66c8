/** What the reader looks at, kept where it is on the screen while the list around it is drawn anew. */
import type { RefObject } from 'react';

export interface KeptPlace {
  /** Finds it again: what it was is not in the page any more. */
  selector: string;
  top: number;
  hasFocus: boolean;
}

/** Frames without a move after which a place stands still, and the most that are waited for. */
const STILL = 4;
const MOST = 90;

/** The finding that is read; where none is in sight, the uppermost piece of the list that is. */
export function noted(list: HTMLElement | null, candidateId: string | null): KeptPlace | null {
  if (!list) return null;
  const card = candidateId === null ? null : list.querySelector<HTMLElement>(cardOf(candidateId));
  if (card && isInSight(card)) return { selector: cardOf(candidateId!), top: topOf(card), hasFocus: card.contains(document.activeElement) };
  const piece = [...list.querySelectorAll<HTMLElement>('[data-index]')].find(isInSight);
  return piece ? { selector: `[data-index="${piece.dataset.index}"]`, top: topOf(piece), hasFocus: false } : null;
}

/** Heights are known only once they were drawn: look again until it stands still. Returns how to stop. */
export function holdOn(place: KeptPlace, list: RefObject<HTMLElement | null>): () => void {
  let frame = 0;
  let tries = 0;
  let still = 0;
  const look = () => {
    const element = list.current?.querySelector<HTMLElement>(place.selector);
    if (element) {
      const off = topOf(element) - place.top;
      if (Math.abs(off) > 1) window.scrollBy(0, off);
      still = Math.abs(off) > 1 ? 0 : still + 1;
      if (place.hasFocus && !element.contains(document.activeElement)) element.focus({ preventScroll: true });
    }
    if (still < STILL && ++tries < MOST) frame = requestAnimationFrame(look);
  };
  look();
  // Whoever scrolls goes where they want.
  const stop = () => cancelAnimationFrame(frame);
  window.addEventListener('wheel', stop, { once: true, passive: true });
  window.addEventListener('touchmove', stop, { once: true, passive: true });
  return () => {
    stop();
    window.removeEventListener('wheel', stop);
    window.removeEventListener('touchmove', stop);
  };
}

const cardOf = (id: string) => `[data-finding="${CSS.escape(id)}"]`;
const topOf = (element: HTMLElement) => element.getBoundingClientRect().top;

function isInSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
