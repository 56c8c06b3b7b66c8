/** Which findings are shown: by severity, category, status and specialist. */
import { type Choice, choices, EVERYTHING, type Said } from './findings';
import { oneLine } from './text';

const NAMES: [keyof Choice, string][] = [
  ['severity', 'Severity'],
  ['category', 'Category'],
  ['status', 'Status'],
  ['specialist', 'Specialist'],
];

export function Filters({ shown, choice, change }: { shown: Said[]; choice: Choice; change: (choice: Choice) => void }) {
  const all = choices(shown);
  const isChosen = Object.values(choice).some((values) => values.length);
  const toggle = (name: keyof Choice, value: string) =>
    change({ ...choice, [name]: choice[name].includes(value) ? choice[name].filter((one) => one !== value) : [...choice[name], value] });
  if (shown.length === 0) return null;
  return (
    <details className="filters" open={matchMedia('(min-width: 1000px)').matches}>
      <summary>Filter {isChosen ? <button type="button" className="quiet" onClick={() => change(EVERYTHING)}>Show all</button> : null}</summary>
      {NAMES.map(([name, label]) => (
        <fieldset key={name}>
          <legend>{label}</legend>
          {all[name].map(([value, count]) => (
            <button key={value} type="button" className="chip" aria-pressed={choice[name].includes(value)} onClick={() => toggle(name, value)}>
              {name === 'severity' ? <span className={`dot ${value}`} aria-hidden="true" /> : null}{oneLine(value.replaceAll('_', ' '), 60)} <span className="count">{count}</span>
            </button>
          ))}
        </fieldset>
      ))}
    </details>
  );
}
