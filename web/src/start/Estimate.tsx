/** What a review would cost. */
import type { Shape } from '../api/client';
import { counted, money, oneLine } from '../report/text';

export type Estimated = Shape<'Estimated'>;

export function Estimate({ estimated, models }: { estimated: Estimated; models: Record<string, string> }) {
  const roles = estimated.roles ?? [];
  const hasModels = Object.keys(models).length > 0;
  if (hasModels && !roles.length) {
    return <div className="estimate" role="status"><strong>Nothing.</strong> This change was reviewed already: starting leads to that review, where it can be reviewed again.</div>;
  }
  if (!hasModels) {
    return <div className="estimate" role="status"><strong>Nothing.</strong> No model is set up; analysers cost no money.</div>;
  }
  return (
    <div className="estimate" role="status">
      <strong>About {money(estimated.cost_usd)}</strong>, {counted(estimated.input_tokens, 'token')} in and {estimated.output_tokens.toLocaleString('en')} out.
      <details className="fold"><summary>By role</summary>
        <table className="plain"><thead><tr><th scope="col">Role</th><th scope="col">Model</th><th scope="col" className="number">Requests</th><th scope="col" className="number">New tokens in</th><th scope="col" className="number">Repeated</th><th scope="col" className="number">Out</th><th scope="col" className="number">Cost</th><th scope="col" className="number">Cached</th><th scope="col" className="number">Of it repeated</th></tr></thead>
          <tbody>{roles.map((one) => (
            <tr key={one.role}><th scope="row">{one.role.replace('_', ' ')}</th><td>{oneLine(one.model, 80)}</td><td className="number">{one.requests}</td><td className="number">{(one.input_tokens - one.repeated_tokens).toLocaleString('en')}</td><td className="number">{one.repeated_tokens.toLocaleString('en')}</td><td className="number">{one.output_tokens.toLocaleString('en')}</td><td className="number">{money(one.usd_without_cache)}</td><td className="number">{money(one.usd_with_cache)}</td><td className="number">{money(one.usd_repeated)}</td></tr>
          ))}</tbody></table>
      </details>
    </div>
  );
}
