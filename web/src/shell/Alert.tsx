/** What went wrong and what to do, and that something is on its way. */
import { useEffect, useRef } from 'react';
import { Problem } from '../api/problem';
import { oneLine } from '../report/text';

/** `takesFocus`: the button that was pressed is gone or off, and whoever uses keys must not start again at the top. */
export function Alert({ problem, again, takesFocus = false }: { problem: Error; again?: () => void; takesFocus?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) box.current?.focus();
  }, [problem, takesFocus]);
  return (
    <div className="alarm" role="alert" ref={box} tabIndex={-1}>
      <strong>{oneLine(problem.message, 1_000)}</strong> {problem instanceof Problem ? oneLine(problem.advice, 1_000) : ''}
      {again ? <> <button type="button" onClick={again}>Try again</button></> : null}
    </div>
  );
}

export function Waiting({ what }: { what: string }) {
  return <p className="waiting" role="status"><span className="spinner" aria-hidden="true" /> {what} …</p>;
}
