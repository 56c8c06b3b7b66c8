/** The picture of the map: three columns of boxes, and what ties them together. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Said } from '../report/findings';
import { codeLine, counted, oneLine } from '../report/text';
import { BOX, curvesOf, placesOf, type Scene } from './curves';
import { depends, type Spot, TIE_WORDS } from './graph';

interface Props {
  scene: Scene;
  shown: readonly Said[];
  pickFile: (path: string) => void;
  pick: (path: string) => void;
  pickSpot: (spot: Spot) => void;
}

export function Picture({ scene, shown, pickFile, pick, pickSpot }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const places = placesOf(scene, width);
  const { files, visible, neighbour, spots } = scene;
  const { x, y, height, width: column } = places;
  const at = (index: number, row: number, count: number) => ({ left: x(index), top: y(row, count), width: column, height: BOX });
  const hit = (path: string, line?: number) => (shown.some((one) => one.finding.file === path && (line === undefined || one.finding.line === line)) ? 'hit' : '');
  return (
    <div className="picture" tabIndex={0} role="region" aria-label="The map">
      <div className="canvas" ref={box} style={{ height }}>
        <svg width={width} height={height} aria-hidden="true">
          {curvesOf(scene, places).map((one) => <path key={one.key} d={one.d} className={`tie tie-${one.tie} ${one.isLit ? 'lit' : 'dim'}`} />)}
        </svg>
        {['The change', 'Around it', 'Where'].map((name, index) => <h2 key={name} style={{ left: x(index), width: column }}>{name}</h2>)}
        {files.map((path, row) => <ChangedBox key={path} path={path} scene={scene} style={at(0, row, files.length)} pick={() => pickFile(path)} />)}
        {visible.map((one, row) => (
          <button key={one.path} type="button" className={`box tie-${one.ties[0] ?? 'uses'} ${hit(one.path)}`} style={at(1, row, visible.length)} aria-pressed={neighbour === one} onClick={() => pick(one.path)} title={oneLine(one.path)}>
            <Name path={one.path} /><small>{oneLine(`${files.includes(one.path) ? 'changed too, ' : ''}${one.reasons[0] ?? TIE_WORDS[one.ties[0] ?? 'uses']}`, 60)}</small>
          </button>
        ))}
        {neighbour ? null : <p className="soft invite" style={{ left: x(visible.length ? 2 : 1), width: column, top: y(0, 1) }}>{visible.length ? 'Choose a file in the middle.' : nothing(scene)}</p>}
        {spots.map((one, row) => (
          <button key={`${one.side} ${one.line}`} type="button" className={`box line ${hit(neighbour!.path, one.line)}`} style={at(2, row, spots.length)} aria-pressed={scene.spot === one} onClick={() => pickSpot(one)}>
            <code>{one.line}</code> <span className="name">{codeLine(one.text).trim() || oneLine(one.why, 60)}</span><small>{oneLine([one.symbol, one.certainty].filter(Boolean).join(', '), 60)}</small>
          </button>
        ))}
      </div>
    </div>
  );
}

function ChangedBox({ path, scene, style, pick }: { path: string; scene: Scene; style: React.CSSProperties; pick: () => void }) {
  const { within, around, file } = scene;
  const users = within.filter((one) => one.of.includes(path));
  const outside = around.filter((one) => depends(one) && one.of.includes(path)).length;
  return (
    <button type="button" className="box changed" style={style} aria-pressed={file === path} onClick={pick} title={oneLine([path, ...users.map((one) => `used by ${one.path}, changed too`)].join(' · '))}>
      <Name path={path} /><small>{counted(outside, 'dependant')} outside the change{users.length ? `, ${users.length} in it` : ''}</small>
    </button>
  );
}

function nothing({ file, within }: Scene): string {
  if (file !== null) return 'Nothing is tied to it.';
  return within.length ? 'Nothing outside of the change. Choose a file at the left to see who in the change depends on it.' : 'Nothing.';
}

function Name({ path }: { path: string }) {
  const at = path.lastIndexOf('/');
  return <span className="name">{at >= 0 ? <span className="soft">{oneLine(path.slice(0, at + 1), 60)}</span> : null}{oneLine(path.slice(at + 1), 80)}</span>;
}

function useWidth(box: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(1_080);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 1_080));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [box]);
  return width;
}

