/** A dialog over the page: the browser keeps the focus inside, Escape and a click beside it close it. */
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is taken away: only then does the browser give the focus back to where it was.
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={box} className="sheet dialog" aria-labelledby={id} onClose={close} onClick={(event) => event.target === box.current && close()}>
      <div className="dialog-inside">
        <header><h2 id={id}>{title}</h2><button type="button" className="quiet" onClick={close} aria-label="Close">✕</button></header>
        {children}
      </div>
    </dialog>
  );
}
