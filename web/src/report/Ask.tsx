/** A question about a finding, answered from its evidence. */
import { type FormEvent, useState } from 'react';
import { type Shape, send } from '../api/client';
import { Alert } from '../shell/Alert';
import { useMay, useMe } from '../shell/session';
import type { Candidate } from './findings';
import { Prose } from './Prose';
import { useReading } from './reading';
import { money, oneLine } from './text';

type Answered = Shape<'QuestionAnswer'> & { question: string };

export function Ask({ candidate }: { candidate: Candidate }) {
  const { address } = useReading();
  const { me } = useMe();
  const mayAsk = useMay('submit');
  const [question, setQuestion] = useState('');
  const [said, setSaid] = useState<Answered[]>([]);
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (!mayAsk) return null;
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const answer = await send<Shape<'QuestionAnswer'>>('POST', `${address}/findings/${encodeURIComponent(candidate.id)}/ask`, { question });
      setSaid([...said, { ...answer, question }]);
      setQuestion('');
    } catch (error) {
      setProblem(error as Error);
    }
    setBusy(false);
  };
  return (
    <section className="sheet" aria-labelledby="ask">
      <h2 id="ask">Ask</h2>
      {me?.can_ask ? (
        <form onSubmit={(event) => void ask(event)}>
          <label>A question about this finding
            <textarea rows={2} required value={question} onChange={(event) => setQuestion(event.target.value)} placeholder="Does this also happen when the list is empty?" />
          </label>
          <button type="submit" disabled={isBusy || !question.trim()}>{isBusy ? 'Asking …' : 'Ask'}</button>
        </form>
      ) : <p className="soft">No model is set up that could answer. Start the service with <code>--model</code>.</p>}
      {problem ? <Alert problem={problem} /> : null}
      <div role="log" aria-label="Answers">
        {said.map((one, index) => (
          <div key={index} className="answer"><p><strong>{oneLine(one.question, 600)}</strong></p><Prose text={one.answer} /><p className="hint">{one.model ? `${oneLine(one.model)}, ` : ''}{money(one.cost_usd)}</p></div>
        ))}
      </div>
    </section>
  );
}
