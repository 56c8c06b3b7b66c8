/** The top of the page. */
import { Link, useRoute } from 'wouter';
import { signOut, token } from '../api/client';
import { useMe } from './session';
import { ThemeButton } from './theme';

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
          <ThemeButton />
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
