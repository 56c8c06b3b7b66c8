/** The options of a review. */
import type { ChosenOptions } from './draft';

const AREAS: [string, string][] = [
  ['bugs', 'Bugs'],
  ['security', 'Security'],
  ['performance', 'Performance'],
  ['quality', 'Quality'],
];

export const NO_OPTIONS: ChosenOptions = { focus_areas: [], severity_threshold: 'info', include_style: true };

export function Options({ options, change }: { options: ChosenOptions; change: (options: ChosenOptions) => void }) {
  const toggle = (area: string) =>
    change({
      ...options,
      focus_areas: options.focus_areas.includes(area) ? options.focus_areas.filter((one) => one !== area) : [...options.focus_areas, area],
    });
  return (
    <details className="fold options">
      <summary>Options</summary>
      <fieldset>
        <legend>Show only</legend>
        {AREAS.map(([area, name]) => (
          <label key={area} className="tick"><input type="checkbox" checked={options.focus_areas.includes(area)} onChange={() => toggle(area)} /> {name}</label>
        ))}
      </fieldset>
      <label>From severity
        <select value={options.severity_threshold} onChange={(event) => change({ ...options, severity_threshold: event.target.value })}>
          <option value="info">info: everything</option>
          <option value="low">low</option>
          <option value="medium">medium</option>
          <option value="high">high</option>
          <option value="critical">critical only</option>
        </select>
      </label>
      <label className="tick"><input type="checkbox" checked={options.include_style} onChange={(event) => change({ ...options, include_style: event.target.checked })} /> Include style</label>
      <p className="hint">These hide findings (they are then listed as withheld). They never change the verdict.</p>
    </details>
  );
}
