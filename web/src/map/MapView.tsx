/** The map of the change as a picture that can be walked: a changed file, who depends on it, the line. */
import { useEffect, useMemo, useRef, useState } from 'react';
import useSWR from 'swr';
import { Link } from 'wouter';
import type { Shape } from '../api/client';
import { Code } from '../report/Code';
import { Inline } from '../report/Prose';
import { proofAddress, type Reading } from '../report/reading';
import { codeLine, counted, oneLine } from '../report/text';
import { Alert, Waiting } from '../shell/Alert';
import { type ContextMap, type Neighbour, neighbours, type Spot, type Tie, TIE_WORDS } from './graph';

const BOX = 48;
const STEP = 58;
const MOST = 40;

export default function MapView({ reading }: { reading: Reading }) {
  const { data: map, error, mutate } = useSWR<ContextMap, Error>(`${reading.address}/map`);
  if (error) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
  if (!map) return <Waiting what="Drawing the map" />;
  return <Walk map={map} reading={reading} />;
}

function Walk({ map, reading }: { map: ContextMap; reading: Reading }) {
  const changed = useMemo(() => reading.report.change.files.map((file) => file.path), [reading]);
  const all = useMemo(() => neighbours(map, changed), [map, changed]);
  const [file, setFile] = useState<string | null>(null);
  const [hidden, setHidden] = useState<Tie[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [spot, setSpot] = useState<Spot | null>(null);
  const visible = all.filter((one) => one.ties.some((tie) => !hidden.includes(tie)) && (file === null || one.of.includes(file))).slice(0, MOST);
  const neighbour = visible.find((one) => one.path === chosen) ?? null;
  const ties = [...new Set(all.flatMap((one) => one.ties))];
  const files = changed.slice(0, MOST);
  const pick = (path: string) => {
    setChosen(path === chosen ? null : path);
    setSpot(null);
  };
  if (!all.length) {
    return <div className="frame"><p className="nothing">Nothing outside of the change was found that depends on it.</p><LeftOut map={map} /></div>;
  }
  return (
    <div className="frame map">
      <p className="soft">Choose a changed file to see who depends on it, choose one of those to see where, choose a line to read it.</p>
      <p className="chips" role="group" aria-label="Ties">
        {ties.map((tie) => (
          <button key={tie} type="button" className={`chip tie-${tie}`} aria-pressed={!hidden.includes(tie)} onClick={() => setHidden(hidden.includes(tie) ? hidden.filter((one) => one !== tie) : [...hidden, tie])}>
            <span className="swatch" aria-hidden="true" />{TIE_WORDS[tie]}
          </button>
        ))}
      </p>
      <Picture files={files} visible={visible} neighbour={neighbour} file={file} chosen={chosen} spot={spot} reading={reading} pickFile={(path) => { setFile(path === file ? null : path); setChosen(null); setSpot(null); }} pick={pick} pickSpot={setSpot} />
      {all.length > visible.length ? <p className="hint">{counted(visible.length, 'file')} of {all.length} are drawn.</p> : null}
      {neighbour && spot ? <SpotCode neighbour={neighbour} spot={spot} reading={reading} /> : null}
      <LeftOut map={map} />
    </div>
  );
}

interface PictureProps {
  files: string[];
  visible: Neighbour[];
  neighbour: Neighbour | null;
  file: string | null;
  chosen: string | null;
  spot: Spot | null;
  reading: Reading;
  pickFile: (path: string) => void;
  pick: (path: string) => void;
  pickSpot: (spot: Spot) => void;
}

function Picture({ files, visible, neighbour, file, chosen, spot, reading, pickFile, pick, pickSpot }: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const rows = Math.max(files.length, visible.length, neighbour?.spots.length ?? 0, 1);
  const gap = Math.max(50, width * 0.07);
  const column = (width - 2 * gap) / 3;
  const x = (index: number) => index * (column + gap);
  const y = (row: number, count: number) => 34 + row * STEP + Math.max(0, ((Math.min(rows, 12) - count) * STEP) / 2);
  const spots = neighbour?.spots.slice(0, MOST) ?? [];
  const curves = visible.flatMap((one, row) =>
    one.of.filter((path) => files.includes(path)).map((path) => ({
      key: `${path}→${one.path}`,
      tie: one.ties[0] ?? 'uses',
      isLit: (file === null || file === path) && (chosen === null || chosen === one.path),
      d: curve(x(0) + column, y(files.indexOf(path), files.length) + BOX / 2, x(1), y(row, visible.length) + BOX / 2),
    })),
  );
  const lines = neighbour
    ? spots.map((one, row) => ({
        key: `line ${one.line}`, tie: neighbour.ties[0] ?? 'uses', isLit: spot === null || spot === one,
        d: curve(x(1) + column, y(visible.indexOf(neighbour), visible.length) + BOX / 2, x(2), y(row, spots.length) + BOX / 2),
      }))
    : [];
  const at = (index: number, row: number, count: number) => ({ left: x(index), top: y(row, count), width: column, height: BOX });
  const withFinding = (path: string, line?: number) => reading.shown.find((one) => one.finding.file === path && (line === undefined || one.finding.line === line));
  return (
    <div className="picture" tabIndex={0} role="region" aria-label="The map">
      <div className="canvas" ref={box} style={{ height: 34 + rows * STEP + 12 }}>
        <svg width={width} height={34 + rows * STEP + 12} aria-hidden="true">
          {[...curves, ...lines].map((one) => <path key={one.key} d={one.d} className={`tie tie-${one.tie} ${one.isLit ? 'lit' : 'dim'}`} />)}
        </svg>
        <h2 style={{ left: x(0), width: column }}>The change</h2>
        <h2 style={{ left: x(1), width: column }}>Who depends on it</h2>
        <h2 style={{ left: x(2), width: column }}>Where</h2>
        {files.map((path, row) => (
          <button key={path} type="button" className="box changed" style={at(0, row, files.length)} aria-pressed={file === path} onClick={() => pickFile(path)} title={oneLine(path)}>
            <Name path={path} /><small>{counted(visible.filter((one) => one.of.includes(path)).length, 'dependant')}</small>
          </button>
        ))}
        {visible.map((one, row) => (
          <button key={one.path} type="button" className={`box tie-${one.ties[0] ?? 'uses'} ${withFinding(one.path) ? 'hit' : ''}`} style={at(1, row, visible.length)} aria-pressed={chosen === one.path} onClick={() => pick(one.path)} title={oneLine(one.path)}>
            <Name path={one.path} /><small>{oneLine(one.reasons[0] ?? TIE_WORDS[one.ties[0] ?? 'uses'], 60)}</small>
          </button>
        ))}
        {neighbour ? null : <p className="soft invite" style={{ left: x(2), width: column, top: y(0, 1) }}>Choose a file in the middle.</p>}
        {spots.map((one, row) => (
          <button key={one.line} type="button" className={`box line ${withFinding(neighbour!.path, one.line) ? 'hit' : ''}`} style={at(2, row, spots.length)} aria-pressed={spot === one} onClick={() => pickSpot(one)}>
            <code>{one.line}</code> <span className="name">{codeLine(one.text).trim() || oneLine(one.why, 60)}</span><small>{oneLine([one.symbol, one.certainty].filter(Boolean).join(', '), 60)}</small>
          </button>
        ))}
      </div>
    </div>
  );
}

function Name({ path }: { path: string }) {
  const at = path.lastIndexOf('/');
  return <span className="name">{at >= 0 ? <span className="soft">{oneLine(path.slice(0, at + 1), 60)}</span> : null}{oneLine(path.slice(at + 1), 80)}</span>;
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const bend = (x2 - x1) / 2;
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}

function useWidth(box: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(1_080);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 1_080));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [box]);
  return width;
}

type Part = Shape<'FileLines'>;

function SpotCode({ neighbour, spot, reading }: { neighbour: Neighbour; spot: Spot; reading: Reading }) {
  const query = new URLSearchParams({ path: neighbour.path, side: 'head', start: String(Math.max(1, spot.line - 8)), end: String(spot.line + 8) });
  const { data } = useSWR<Part, Error>(`${reading.address}/file?${query}`);
  const finding = reading.shown.find((one) => one.finding.file === neighbour.path && Math.abs(one.finding.line - spot.line) <= 3);
  return (
    <section className="sheet" aria-label={`Line ${spot.line} of ${neighbour.path}`}>
      <p className="soft">{oneLine(spot.why, 300)}{finding ? <> · <Link href={proofAddress(reading, finding.id)}>a finding here: <Inline text={oneLine(finding.finding.title)} /></Link></> : null}</p>
      <Code path={neighbour.path} lines={data?.lines ?? [spot.text]} first={data?.start ?? spot.line} guilty={[spot.line, spot.line]} caption={<code>{oneLine(neighbour.path)}:{spot.line}</code>} />
    </section>
  );
}

function LeftOut({ map }: { map: ContextMap }) {
  return map.left_out.length ? <details className="fold"><summary>What the map leaves out</summary><ul>{map.left_out.map((one, index) => <li key={index}>{oneLine(one, 300)}</li>)}</ul></details> : null;
}
