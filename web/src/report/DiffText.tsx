/** Lines of a diff as text: one below the other, coloured by what became of each. */
import { kindsOf } from './patchLines';
import { codeLine } from './text';

export function DiffText({ lines, label }: { lines: readonly string[]; label: string }) {
  const kinds = kindsOf(lines);
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <pre className="patch">{lines.map((line, index) => <span key={index} className={kinds[index]}>{codeLine(line)}{'\n'}</span>)}</pre>
    </div>
  );
}
