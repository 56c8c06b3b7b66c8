/** What went wrong and what to do, and that something is on its way. */
import { Problem } from '../api/client';

export function Alert({ problem, again }: { problem: Error; again?: () => void }) {
  return (
    <div className="alarm" role="alert">
      <strong>{problem.message}</strong> {problem instanceof Problem ? problem.advice : ''}
      {again ? <> <button type="button" onClick={again}>Try again</button></> : null}
    </div>
  );
}

export function Waiting({ what }: { what: string }) {
  return <p className="waiting" role="status"><span className="spinner" aria-hidden="true" /> {what} …</p>;
}
