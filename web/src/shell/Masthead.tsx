/** The top of the page. */
import { Link, useRoute } from 'wouter';
import { signOut, token } from '../api/client';
import { useMe } from './session';
import { toggleTheme } from './theme';

export function Masthead() {
  const { me, again } = useMe();
  const leave = () => {
    signOut();
    again();
    location.assign('/');
  };
  return (
    <header className="masthead">
      <div className="frame">
        <Link href="/" className="brand"><img src="/mark.svg" alt="" width="22" height="22" /> Affidavit</Link>
        <nav aria-label="Pages">
          <Tab href="/">Start</Tab>
          <Tab href="/history">History</Tab>
          <Tab href="/quality">Quality</Tab>
        </nav>
        <span className="tools">
          {me && me.needs_token ? <span className="soft who" title={me.roles.join(', ')}>{me.name || me.tenant}</span> : null}
          <button type="button" className="quiet" onClick={toggleTheme} title="Light or dark (t)" aria-label="Light or dark">
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.5" /><path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" /></svg>
          </button>
          {token() ? <button type="button" className="quiet leave" onClick={leave}>Sign out</button> : null}
        </span>
      </div>
    </header>
  );
}

function Tab({ href, children }: { href: string; children: string }) {
  const [isHere] = useRoute(href);
  return <Link href={href} aria-current={isHere ? 'page' : undefined}>{children}</Link>;
}
