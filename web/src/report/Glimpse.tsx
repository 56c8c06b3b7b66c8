/** A run of lines in full flight: its text alone, as high as it will be. */
import { codeLine, oneLine } from './text';
import type { Item } from './layout';

const KINDS: Record<string, string> = { '+': 'insert', '-': 'delete' };

export function Glimpse({ item, height }: { item: Item & { kind: 'piece' }; height: number }) {
  const lines = item.hunk.lines.slice(item.start, item.end);
  return (
    <div className="glimpse" style={{ height }}>
      {item.ids.length ? <p>{item.titles.map((title) => oneLine(title, 120)).join(' · ')}</p> : null}
      {lines.map((line, index) => <div key={index} className={KINDS[line[0] ?? ''] ?? ''}>{codeLine(line.slice(1, 200))}</div>)}
    </div>
  );
}
