/** Signing in with a token. */
import { type FormEvent, useState } from 'react';
import { signIn, token } from '../api/client';
import type { Problem } from '../api/problem';
import { useMe } from './session';

export function SignIn({ problem }: { problem: Problem }) {
  const { again } = useMe();
  const [value, setValue] = useState('');
  const [stay, setStay] = useState(false);
  const isRefused = token() !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn(value.trim(), stay);
    again();
  };
  return (
    <main className="sign-in" id="main" tabIndex={-1}>
      <form className="sheet" onSubmit={submit}>
        <h1><img src="/mark.svg" alt="" width="28" height="28" /> Affidavit</h1>
        <p className="soft">This service asks for a token. Whoever runs it makes one with <code>affidavit token create</code>.</p>
        {isRefused ? <p className="alarm" role="alert">{problem.status === 401 ? <><strong>This token is not known here.</strong> It may be mistyped, expired or withdrawn.</> : <><strong>{problem.message}</strong> {problem.advice}</>}</p> : null}
        <label>
          Token
          <input type="password" autoComplete="current-password" autoFocus required value={value} onChange={(event) => setValue(event.target.value)} />
        </label>
        <label className="tick">
          <input type="checkbox" checked={stay} onChange={(event) => setStay(event.target.checked)} /> Stay signed in on this machine
        </label>
        <button type="submit" className="primary">Sign in</button>
      </form>
    </main>
  );
}
