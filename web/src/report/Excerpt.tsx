/** The quoted code at its commit; with its surroundings where the service still has the repository. */
import { useState } from 'react';
import useSWR from 'swr';
import { isFile } from '../file/contents';
import type { Shape } from '../api/client';
import { Code } from './Code';
import type { Candidate } from './findings';
import { useReading } from './reading';
import { oneLine } from './text';

type Part = Shape<'FileLines'>;

export function Excerpt({ candidate, around = 0 }: { candidate: Candidate; around?: number }) {
  const { address, report } = useReading();
  const [more, setMore] = useState(isFile ? 0 : around);
  const quote = candidate.quote;
  const finding = candidate.finding;
  const start = quote?.start ?? finding?.line ?? 1;
  const end = quote?.end ?? finding?.end_line ?? start;
  const file = quote?.file ?? finding?.file ?? '';
  const side = quote?.side ?? finding?.verification?.side ?? 'head';
  const query = new URLSearchParams({ path: file, side, start: String(Math.max(1, start - more)), end: String(end + more) });
  const { data, error } = useSWR<Part, Error>(more && file ? `${address}/file?${query}` : null, { keepPreviousData: true });
  const quoted = quote?.code || finding?.verification?.code_examined || '';
  if (!quoted && !data) return null;
  const commit = (side === 'head' ? report.change.head : report.change.base).commit?.slice(0, 8);
  const isWhole = data !== undefined && data.start <= 1 && data.end >= data.total_lines;
  const guilty: [number, number] = finding ? [finding.line, finding.end_line ?? finding.line] : [start, end];
  const caption = (
    <>
      <code>{oneLine(file)}:{start}{end === start ? '' : `–${end}`}</code> {side === 'base' ? 'before the change' : 'after the change'}{commit ? <> at <code>{commit}</code></> : null}
      {error ? <span className="hint"> · no more of this file is known</span> : null}
      {!isFile && !error && !isWhole ? <> · <button type="button" className="quiet" onClick={() => setMore(more ? more * 3 : 8)}>{more ? 'Show more' : 'Show the lines around it'}</button></> : null}
    </>
  );
  const lines = data ? data.lines : quoted.replace(/\n$/, '').split('\n');
  return <Code path={file} lines={lines} first={data ? data.start : start} guilty={guilty} caption={caption} />;
}
