/** The map of the change as a picture that can be walked: a changed file, who depends on it, the line. */
import { useMemo, useState } from 'react';
import useSWR from 'swr';
import { Link } from 'wouter';
import type { Shape } from '../api/client';
import { Code } from '../report/Code';
import { Inline } from '../report/Prose';
import { proofAddress, type Reading } from '../report/reading';
import { counted, oneLine } from '../report/text';
import { Alert, Waiting } from '../shell/Alert';
import type { Scene } from './curves';
import { type ContextMap, inside, type Neighbour, neighbours, type Spot, spotsOn, type Tie, TIE_WORDS } from './graph';
import { Picture } from './Picture';

const MOST = 40;

export default function MapView({ reading }: { reading: Reading }) {
  const { data: map, error, mutate } = useSWR<ContextMap, Error>(`${reading.address}/map`);
  if (error) return <div className="frame"><Alert problem={error} again={() => void mutate()} /></div>;
  if (!map) return <Waiting what="Drawing the map" />;
  return <MapOf map={map} changed={reading.report.change.files.map((file) => file.path)} reading={reading} />;
}

/** `reading`: the report that the map belongs to, where there is one. */
export function MapOf({ map, changed, reading }: { map: ContextMap; changed: string[]; reading?: Reading }) {
  const around = useMemo(() => neighbours(map, changed), [map, changed]);
  const within = useMemo(() => inside(map, changed), [map, changed]);
  const [file, setFile] = useState<string | null>(null);
  const [hidden, setHidden] = useState<Tie[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [spot, setSpot] = useState<Spot | null>(null);
  const tied = (all: Neighbour[]) => all.map((one) => ({ ...one, ties: one.ties.filter((tie) => !hidden.includes(tie)) })).filter((one) => one.ties.length);
  // Changed files stand at the left; those that depend on the chosen one stand in the middle, too, so that its lines are reached.
  const all = file === null ? around : [...within, ...around].filter((one) => one.of.includes(file));
  const visible = tied(all).slice(0, MOST);
  const neighbour = visible.find((one) => one.path === chosen) ?? null;
  const spots = neighbour ? spotsOn(neighbour, file).slice(0, MOST) : [];
  const scene: Scene = { files: changed.slice(0, MOST), within: tied(within), around: tied(around), visible, neighbour, spots, file, spot };
  const walk = (to: { file?: string | null; chosen?: string | null }) => {
    if (to.file !== undefined) setFile(to.file);
    setChosen(to.chosen ?? null);
    setSpot(null);
  };
  if (!around.length && !within.length) {
    return <div className="frame"><p className="nothing">Nothing was found that depends on the change, inside or outside of it.</p><LeftOut map={map} /></div>;
  }
  return (
    <div className="frame map">
      <p className="soft">Choose a changed file to see who depends on it and what else is tied to it, choose one of those to see where, choose a line to read it.{within.length ? ' Arrows at the left lead from a changed file to the changed file that it depends on.' : ''}</p>
      <Ties all={[...within, ...around]} hidden={hidden} change={setHidden} />
      <Picture scene={scene} shown={reading?.shown ?? []} pickFile={(path) => walk({ file: path === file ? null : path })} pick={(path) => walk({ chosen: path === chosen ? null : path })} pickSpot={setSpot} />
      {all.length > visible.length ? <p className="hint">{counted(visible.length, 'file')} of {all.length} are drawn.</p> : null}
      {neighbour && spot ? <SpotCode neighbour={neighbour} spot={spot} reading={reading} /> : null}
      <LeftOut map={map} />
    </div>
  );
}

function Ties({ all, hidden, change }: { all: Neighbour[]; hidden: Tie[]; change: (hidden: Tie[]) => void }) {
  const ties = [...new Set(all.flatMap((one) => one.ties))];
  return (
    <p className="chips" role="group" aria-label="Ties">
      {ties.map((tie) => (
        <button key={tie} type="button" className={`chip tie-${tie}`} aria-pressed={!hidden.includes(tie)} onClick={() => change(hidden.includes(tie) ? hidden.filter((one) => one !== tie) : [...hidden, tie])}>
          <span className="swatch" aria-hidden="true" />{TIE_WORDS[tie]}
        </button>
      ))}
    </p>
  );
}

type Part = Shape<'FileLines'>;

function SpotCode({ neighbour, spot, reading }: { neighbour: Neighbour; spot: Spot; reading: Reading | undefined }) {
  const query = new URLSearchParams({ path: neighbour.path, side: spot.side, start: String(Math.max(1, spot.line - 8)), end: String(spot.line + 8) });
  const { data } = useSWR<Part, Error>(reading ? `${reading.address}/file?${query}` : null);
  const finding = reading?.shown.find((one) => one.finding.file === neighbour.path && Math.abs(one.finding.line - spot.line) <= 3);
  return (
    <section className="sheet" aria-label={`Line ${spot.line} of ${oneLine(neighbour.path)}`}>
      <p className="soft">{oneLine(spot.why, 300)}{reading && finding ? <> · <Link href={proofAddress(reading, finding.id)}>a finding here: <Inline text={oneLine(finding.finding.title)} /></Link></> : null}</p>
      <Code path={neighbour.path} lines={data?.lines ?? [spot.text]} first={data?.start ?? spot.line} guilty={[spot.line, spot.line]} caption={<><code>{oneLine(neighbour.path)}:{spot.line}</code>{spot.side === 'base' ? ' before the change' : ''}</>} />
    </section>
  );
}

function LeftOut({ map }: { map: ContextMap }) {
  return map.left_out.length ? <details className="fold"><summary>What the map leaves out</summary><ul>{map.left_out.map((one, index) => <li key={index}>{oneLine(one, 300)}</li>)}</ul></details> : null;
}
