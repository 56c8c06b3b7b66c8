/** The frame of every page: who is signed in, where one can go, and the page of the address. */
import { Component, lazy, type ReactNode, Suspense } from 'react';
import { SWRConfig } from 'swr';
import { Route, Switch } from 'wouter';
import { get } from '../api/client';
import { Problem } from '../api/problem';
import { Alert, Waiting } from './Alert';
import { useArrival } from './arrival';
import { Masthead } from './Masthead';
import { NoSuchPage } from './NoSuchPage';
import { SessionProvider, useMe } from './session';
import { SignIn } from './SignIn';

const Start = lazy(() => import('../start/Start'));
const Review = lazy(() => import('../review/Review'));
const History = lazy(() => import('../history/History'));
const Quality = lazy(() => import('../quality/Quality'));

const patience = {
  fetcher: (path: string) => get(path),
  revalidateOnFocus: false,
  shouldRetryOnError: (error: unknown) => error instanceof Problem && (error.status === 0 || error.status >= 500),
  errorRetryInterval: 3_000,
};

export function App() {
  return (
    <SWRConfig value={patience}>
      <SessionProvider>
        <Guarded />
      </SessionProvider>
    </SWRConfig>
  );
}

function Guarded() {
  useArrival();
  const { me, problem } = useMe();
  if (problem?.status === 401 || problem?.status === 403) return <SignIn problem={problem} />;
  return (
    <>
      <a className="skip" href="#main">Skip to the content</a>
      <Masthead />
      <main id="main" tabIndex={-1}>
        {problem ? <Alert problem={problem} /> : null}
        {!me && !problem ? <Waiting what="Asking the service" /> : null}
        {me ? (
          <Caught>
            <Suspense fallback={<Waiting what="Loading" />}>
              <Switch>
                <Route path="/" component={Start} />
                <Route path="/history" component={History} />
                <Route path="/quality" component={Quality} />
                <Route path="/review/:id/*?" component={Review} />
                <Route><NoSuchPage /></Route>
              </Switch>
            </Suspense>
          </Caught>
        ) : null}
      </main>
    </>
  );
}

class Caught extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div className="alarm" role="alert">
        <strong>The page could not show this.</strong> {this.state.error.message}{' '}
        <button type="button" onClick={() => location.reload()}>Load it again</button>
      </div>
    );
  }
}
