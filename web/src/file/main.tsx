/** Where the page begins that is one file: a report or a map inside it, and no service. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { SWRConfig } from 'swr';
import { Route, Router, Switch } from 'wouter';
import '../look/tokens.css';
import '../look/look.css';
import '../look/page.css';
import { MapOf } from '../map/MapView';
import ReportPage from '../report/ReportPage';
import { useArrival } from '../shell/arrival';
import { NoSuchPage } from '../shell/NoSuchPage';
import { SessionProvider } from '../shell/session';
import { applyTheme, ThemeButton } from '../shell/theme';
import { locationsFrom } from './address';
import { answersOf, contents, ID, summaryOf } from './contents';

const inside = contents();
const { report, map } = inside;
const settings = { fetcher: answersOf(inside), revalidateOnFocus: false, shouldRetryOnError: false };

function File() {
  useArrival();
  return (
    <>
      <a className="skip" href="#main">Skip to the content</a>
      <header className="masthead"><div className="frame"><span className="brand">Affidavit</span><span className="tools"><ThemeButton /></span></div></header>
      <main id="main" tabIndex={-1}>
        <Switch>
          {report ? <Route path="/review/:id/*?">{(params) => <ReportPage summary={summaryOf(report)} rest={params['*'] ?? ''} />}</Route> : null}
          {map ? <Route path="/"><MapOf map={map.map} changed={map.changed} /></Route> : null}
          <Route><NoSuchPage /></Route>
        </Switch>
      </main>
    </>
  );
}

applyTheme();
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Router {...locationsFrom(report ? `/review/${ID}` : '/')}>
      <SWRConfig value={settings}>
        <SessionProvider>
          <File />
        </SessionProvider>
      </SWRConfig>
    </Router>
  </StrictMode>,
);
