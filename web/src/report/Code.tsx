/** Numbered lines of code in colour, with some of them marked. */
import { type ReactNode, useEffect, useState } from 'react';
import { colourLines } from './colours';
import { codeLine, isCut, oneLine, wholeLine } from './text';
import { useOpened, WholeLine } from './WholeLine';

interface Node {
  type?: string;
  value?: string;
  className?: string | string[];
  properties?: { className?: string[] };
  children?: Node[];
}

interface Props {
  path: string;
  lines: string[];
  first: number;
  guilty: [number, number] | null;
  caption: ReactNode;
}

export function Code({ path, lines, first, guilty, caption }: Props) {
  const [opened, open] = useOpened();
  const shown = lines.map((line, index) => (opened.has(String(index)) ? wholeLine(line) : codeLine(line)));
  const text = shown.join('\n');
  const [rows, setRows] = useState<Node[][] | null>(null);
  useEffect(() => {
    let isGone = false;
    void colourLines(text.split('\n'), path).then((coloured) => {
      if (!isGone) setRows(coloured as Node[][] | null);
    });
    return () => {
      isGone = true;
    };
  }, [text, path]);
  return (
    <figure className="code">
      <figcaption>{caption}</figcaption>
      <div className="scroll" tabIndex={0} role="region" aria-label={`Code of ${oneLine(path)}`}>
        <table><tbody>
          {shown.map((line, index) => {
            const number = first + index;
            const isGuilty = guilty !== null && number >= guilty[0] && number <= guilty[1];
            return <tr key={number} className={isGuilty ? 'guilty' : ''}><td className="n">{number}</td><td className="c">{rows?.[index] ? rows[index].map(drawn) : line}{isCut(lines[index] ?? '') && !opened.has(String(index)) ? <WholeLine line={lines[index]!} open={() => open(String(index))} /> : null}</td></tr>;
          })}
        </tbody></table>
      </div>
    </figure>
  );
}

function drawn(node: Node, key: number): ReactNode {
  if (node.type === 'text' || !node.children?.length) return node.value ?? '';
  const names = node.properties?.className ?? node.className;
  return <span key={key} className={Array.isArray(names) ? names.join(' ') : names}>{node.children.map(drawn)}</span>;
}
