/** A very long line is cut; the reader may have the rest. */
import { useCallback, useState } from 'react';
import { wholeLine } from './text';

export function WholeLine({ line, open }: { line: string; open: () => void }) {
  return <button type="button" className="whole" onClick={open}>show the whole line ({wholeLine(line).length.toLocaleString('en')} characters)</button>;
}

/** Which lines were opened, by a name that the caller gives them. */
export function useOpened(): [ReadonlySet<string>, (name: string) => void] {
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set());
  const open = useCallback((name: string) => setOpened((before) => new Set([...before, name])), []);
  return [opened, open];
}
