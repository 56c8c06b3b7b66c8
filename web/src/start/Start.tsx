/** Starting a review: what of, with which options, at what price. */
import { type FormEvent, useState } from 'react';
import useSWR from 'swr';
import { Link, useLocation } from 'wouter';
import { type Shape, send } from '../api/client';
import { type Page, stateWord } from '../history/summary';
import { ago, oneLine } from '../report/text';
import type { Arrival } from '../review/Again';
import { Alert, Waiting } from '../shell/Alert';
import { useMay, useMe } from '../shell/session';
import { useTitle } from '../shell/title';
import { Estimate, type Estimated } from './Estimate';
import { First } from './First';
import { NO_OPTIONS, Options } from './Options';
import { bodyOf, type Draft, EMPTY, missing, type Source } from './draft';
import { SourceFields } from './SourceFields';

const SOURCES: [Source, string][] = [
  ['diff', 'A diff'],
  ['request', 'A pull request'],
  ['repository', 'A repository'],
];

type Started = Shape<'Submitted'>;

export default function Start() {
  useTitle('');
  const { me, again } = useMe();
  const maySubmit = useMay('submit');
  const [, go] = useLocation();
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [options, setOptions] = useState(NO_OPTIONS);
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [estimated, setEstimated] = useState<Estimated | null>(null);
  const reviews = useSWR<Page>('/api/review?limit=5');
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setEstimated(null);
  };
  const ask = async <Answer,>(path: string, given: Draft): Promise<Answer | null> => {
    const lacking = missing(given);
    if (lacking) {
      setProblem(new Error(lacking));
      return null;
    }
    setProblem(null);
    setBusy(true);
    try {
      return await send<Answer>('POST', path, bodyOf(given, options));
    } catch (error) {
      setProblem(error as Error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const start = async (given: Draft) => {
    const started = await ask<Started>('/api/review', given);
    if (started) go(`/review/${started.review_id}`, { state: { wasThere: !started.is_new } satisfies Arrival });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void start(draft);
  };
  const trySample = async () => {
    setProblem(null);
    setBusy(true);
    try {
      const { repository, base, head, title } = await send<Shape<'SampleRepository'>>('POST', '/api/sample');
      again();
      const filled = { ...EMPTY, source: 'repository' as const, repository, base, head, title };
      setDraft(filled);
      await start(filled);
    } catch (error) {
      setProblem(error as Error);
      setBusy(false);
    }
  };
  const isEmpty = reviews.data?.reviews.length === 0;
  const hasModels = Object.keys(me?.models ?? {}).length > 0;
  // What to do first would push the form down under the user's hand.
  if (!reviews.data && !reviews.error) return <Waiting what="Looking for reviews" />;
  return (
    <div className="frame start">
      <section className="lead">
        <h1>Code review under oath</h1>
        <p className="headline">Every finding quotes the code it speaks of, and the quote is checked by machine. {hasModels ? 'What a model claims, another look tried to refute; what' : 'What'} an analyser reports, it reports after the change and not before. What is withheld is listed with its reason.</p>
      </section>
      {isEmpty && maySubmit ? <First trySample={() => void trySample()} isBusy={isBusy} models={Object.keys(me?.models ?? {}).length} /> : null}
      <div className="columns">
        {maySubmit ? (
          <form className="sheet" onSubmit={submit} aria-label="Start a review">
            <div className="segments" role="radiogroup" aria-label="What to review">
              {SOURCES.map(([source, name]) => (
                <label key={source} className={draft.source === source ? 'chosen' : ''}>
                  <input type="radio" name="source" checked={draft.source === source} onChange={() => change({ source })} /> {name}
                </label>
              ))}
            </div>
            <SourceFields draft={draft} change={change} repositories={me?.repositories ?? []} />
            <Options options={options} change={setOptions} />
            {problem ? <Alert problem={problem} takesFocus /> : null}
            {estimated ? <Estimate estimated={estimated} models={me?.models ?? {}} /> : null}
            <div className="buttons">
              <button type="submit" className="primary" disabled={isBusy}>{isBusy ? 'One moment …' : 'Start the review'}</button>
              <button type="button" disabled={isBusy} onClick={() => void ask<Estimated>('/api/estimate', draft).then(setEstimated)}>What would it cost?</button>
            </div>
          </form>
        ) : (
          <div className="sheet"><p>Your token may read reviews. To start one, it needs the role <code>submit</code>.</p></div>
        )}
        <aside className="side" aria-label="About this installation">
          <Models models={me?.models ?? {}} />
          <Recent page={reviews.data ?? null} />
        </aside>
      </div>
    </div>
  );
}

function Models({ models }: { models: Record<string, string> }) {
  const names = [...new Set(Object.values(models))];
  return (
    <section className="sheet">
      <h2>Reviewers</h2>
      {names.length ? (
        <>
          <p>Analysers on both sides of the change, and {names.map((name, index) => <span key={name}>{index ? ', ' : ''}<code>{oneLine(name, 80)}</code></span>)}.</p>
          <details className="fold"><summary>Models by role</summary>
            <dl>{Object.entries(models).map(([role, model]) => [<dt key={role}>{role.replace('_', ' ')}</dt>, <dd key={`${role}-`}><code>{oneLine(model, 80)}</code></dd>])}</dl>
          </details>
        </>
      ) : (
        <p>No model is set up: analysers and the search for broken references review alone, for nothing. With one, start the service with <code>--model</code>.</p>
      )}
    </section>
  );
}

function Recent({ page }: { page: Page | null }) {
  if (!page?.reviews.length) return null;
  return (
    <section className="sheet">
      <h2>Last reviews</h2>
      <ul className="recent">
        {page.reviews.map((one) => (
          <li key={one.review_id}>
            <Link href={`/review/${one.review_id}`}>
              <span className={`dot ${one.verdict ?? one.status}`} aria-hidden="true" />
              <span>{oneLine(one.title || one.repository || 'A diff', 160)}</span>
              <small>{stateWord(one)}, {ago(one.created_at)}</small>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
