/** Another page begins at its top with the focus in it; whoever uses keys never starts again at the masthead. */
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

export function useArrival(): void {
  const [path] = useLocation();
  const before = useRef(path);
  const isBack = useRef(false);
  useEffect(() => {
    // The browser itself leads back to where the reader was.
    const note = () => {
      isBack.current = true;
    };
    window.addEventListener('popstate', note);
    return () => window.removeEventListener('popstate', note);
  }, []);
  useEffect(() => {
    if (before.current === path) return;
    if (!isBack.current && !location.hash && pageOf(before.current) !== pageOf(path)) window.scrollTo(0, 0);
    before.current = path;
    isBack.current = false;
    const active = document.activeElement;
    if (!active?.closest('main') || !active.checkVisibility()) focusMain();
  }, [path]);
  useEffect(watchFocus, []);
}

/** The tabs of a report are one page, each proof is one of its own. */
export function pageOf(path: string): string {
  return /^\/review\/[^/]+(?:\/finding\/[^/]+)?/.exec(path)?.[0] ?? path;
}

/** What had the focus may go: a button that was pressed, a dialog with its page. */
function watchFocus(): () => void {
  let last: Element | null = null;
  const note = (event: FocusEvent) => {
    last = event.target as Element;
  };
  const watch = new MutationObserver(() => {
    if (!last || last.isConnected) return;
    // A piece of a long diff goes when it is scrolled past, and the browser remembers where the reader was.
    const isScrolledPast = last.closest('[data-index]') !== null;
    last = null;
    if (!isScrolledPast && document.activeElement === document.body) focusMain();
  });
  document.addEventListener('focusin', note);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', note);
    watch.disconnect();
  };
}

function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}
