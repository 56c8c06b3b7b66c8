/** Where boxes and the lines between them stand in the picture of the map. */
import type { Neighbour, Spot, Tie } from './graph';

export const BOX = 48;
const STEP = 58;
const TOP = 34;
/** Room at the left for the arcs between changed files. */
const ARCS = 40;
/** Shorter columns stand in the middle of this many rows. */
const CENTRED = 12;

export interface Scene {
  files: string[];
  /** Changed files that depend on changed files. */
  within: Neighbour[];
  /** All files around the change. */
  around: Neighbour[];
  /** What stands in the middle. */
  visible: Neighbour[];
  neighbour: Neighbour | null;
  spots: Spot[];
  file: string | null;
  spot: Spot | null;
}

export interface Curve {
  key: string;
  tie: Tie;
  isLit: boolean;
  d: string;
}

export interface Places {
  height: number;
  x: (column: number) => number;
  width: number;
  /** The top of a box: its column, its row, how many boxes the column has. */
  y: (row: number, count: number) => number;
}

export function placesOf(scene: Scene, width: number): Places {
  const rows = Math.max(scene.files.length, scene.visible.length, scene.spots.length, 1);
  const gap = Math.max(50, width * 0.07);
  const left = scene.within.length ? ARCS : 0;
  const column = (width - left - 2 * gap) / 3;
  return {
    height: TOP + rows * STEP + 12,
    x: (index) => left + index * (column + gap),
    width: column,
    y: (row, count) => TOP + row * STEP + Math.max(0, ((Math.min(rows, CENTRED) - count) * STEP) / 2),
  };
}

export function curvesOf(scene: Scene, places: Places): Curve[] {
  return [...arcs(scene, places), ...fromFiles(scene, places), ...toLines(scene, places)];
}

/** From a changed file to a changed file that it depends on, at the left of both; the head points at what is used. */
function arcs({ files, within, file }: Scene, { x, y }: Places): Curve[] {
  const middle = (path: string) => y(files.indexOf(path), files.length) + BOX / 2;
  const isDrawn = (path: string) => files.includes(path);
  return within.filter((one) => isDrawn(one.path)).flatMap((one) =>
    one.of.filter(isDrawn).map((path) => ({
      key: `${one.path} in ${path}`,
      tie: one.ties[0] ?? 'uses',
      isLit: file === null || file === path || file === one.path,
      d: arc(x(0), middle(one.path), middle(path), Math.abs(files.indexOf(path) - files.indexOf(one.path))),
    })),
  );
}

function fromFiles({ files, visible, file, neighbour }: Scene, { x, y, width }: Places): Curve[] {
  return visible.flatMap((one, row) =>
    one.of.filter((path) => files.includes(path) && path !== one.path).map((path) => ({
      key: `${path}→${one.path}`,
      tie: one.ties[0] ?? 'uses',
      isLit: (file === null || file === path) && (neighbour === null || neighbour === one),
      d: curve(x(0) + width, y(files.indexOf(path), files.length) + BOX / 2, x(1), y(row, visible.length) + BOX / 2),
    })),
  );
}

function toLines({ visible, neighbour, spots, spot }: Scene, { x, y, width }: Places): Curve[] {
  if (!neighbour) return [];
  const from = y(visible.indexOf(neighbour), visible.length) + BOX / 2;
  return spots.map((one, row) => ({
    key: `line ${one.side} ${one.line}`,
    tie: neighbour.ties[0] ?? 'uses',
    isLit: spot === null || spot === one,
    d: curve(x(1) + width, from, x(2), y(row, spots.length) + BOX / 2),
  }));
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const bend = (x2 - x1) / 2;
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}

function arc(x: number, from: number, to: number, apart: number): string {
  const bend = Math.min(ARCS * 1.25, 18 + apart * 8);
  return `M${x},${from} C${x - bend},${from} ${x - bend},${to} ${x},${to} M${x - 7},${to - 4} L${x - 1},${to} L${x - 7},${to + 4}`;
}
