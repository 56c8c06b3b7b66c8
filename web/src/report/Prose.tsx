/** Prose of a finding: paragraphs, `code` and code blocks; everything else is text. */
import type { ReactNode } from 'react';
import { visible } from './text';

const FENCE = /^ {0,3}```[^\n`]*\n([\s\S]*?)(?:^ {0,3}```[ \t]*$|$(?![\s\S]))/gm;
const LONGEST = 8_000;

export function Prose({ text }: { text: string }) {
  const shown = visible(text.trim().replaceAll('\r\n', '\n'), '\n\t').slice(0, LONGEST);
  const parts: ReactNode[] = [];
  let end = 0;
  for (const fence of shown.matchAll(FENCE)) {
    parts.push(...paragraphs(shown.slice(end, fence.index), parts.length), <pre key={`b${parts.length}`}><code>{fence[1]}</code></pre>);
    end = fence.index + fence[0].length;
  }
  return <div className="prose">{[...parts, ...paragraphs(shown.slice(end), parts.length)]}</div>;
}

function paragraphs(text: string, from: number): ReactNode[] {
  return text.split(/\n\s*\n/).filter((one) => one.trim()).map((one, index) => <p key={`${from}-${index}`}><Inline text={one.trim()} /></p>);
}

/** What stands in backticks becomes code. */
export function Inline({ text }: { text: string }) {
  return <>{text.split(/(`[^`\n]+`)/).map((part, index) => (/^`[^`\n]+`$/.test(part) ? <code key={index}>{part.slice(1, -1)}</code> : part))}</>;
}
