/** Values in their order as a line, with the interval of each where it has one. */
import { useState } from 'react';

export interface Point {
  label: string;
  value: number;
  low?: number;
  high?: number;
  note: string;
  /** What holds from here on, such as the prompt version; where it changes a line is drawn. */
  mark: string;
}

const WIDTH = 460;
const HEIGHT = 150;
const LEFT = 46;
const BOTTOM = 22;
const TOP = 10;

interface Props {
  title: string;
  points: Point[];
  format: (value: number) => string;
  max?: number | undefined;
  isSteps?: boolean;
}

export function TimeChart({ title, points, format, max, isSteps = false }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const highest = Math.max(...points.map((one) => one.high ?? one.value), 1e-9);
  const top = max === undefined ? highest * 1.1 : Math.min(max, Math.max(highest * 1.15, 0.05));
  const x = (index: number) => (points.length === 1 ? (LEFT + WIDTH) / 2 : LEFT + 8 + (index * (WIDTH - LEFT - 20)) / (points.length - 1));
  const y = (value: number) => TOP + (1 - Math.min(value, top) / top) * (HEIGHT - TOP - BOTTOM);
  const line = points.map((one, index) => `${index ? 'L' : 'M'}${x(index)},${y(one.value)}`).join(' ');
  const band = [...points.map((one, index) => `${x(index)},${y(one.high ?? one.value)}`), ...points.map((one, index) => `${x(index)},${y(one.low ?? one.value)}`).reverse()].join(' ');
  const shown = at === null ? null : points[at];
  const words = points.slice(-12).map((one) => `${one.label}: ${format(one.value)} (${one.note})`).join('; ');
  return (
    <>
      <svg className="time-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${words}`} onPointerLeave={() => setAt(null)}>
        {[0, 0.5, 1].map((part) => (
          <g key={part}><line className="grid" x1={LEFT} x2={WIDTH - 6} y1={y(top * part)} y2={y(top * part)} /><text x={LEFT - 6} y={y(top * part) + 4} textAnchor="end">{format(top * part)}</text></g>
        ))}
        {points.map((one, index) => (index > 0 && one.mark && one.mark !== points[index - 1]!.mark ? <g key={`m${index}`}><line className="version" x1={x(index)} x2={x(index)} y1={TOP} y2={HEIGHT - BOTTOM} /><text x={x(index) + 3} y={TOP + 8}>{one.mark}</text></g> : null))}
        {isSteps || points.length === 1 ? points.map((one, index) => <line key={`i${index}`} className="span" x1={x(index)} x2={x(index)} y1={y(one.low ?? one.value)} y2={y(one.high ?? one.value)} />) : <><polygon className="band" points={band} /><path className="line" d={line} /></>}
        {points.map((one, index) => (
          <g key={index} onPointerEnter={() => setAt(index)}>
            <rect className="touch" x={x(index) - 8} y={0} width={16} height={HEIGHT} /><circle className="point" cx={x(index)} cy={y(one.value)} r={at === index || isSteps || points.length < 30 ? 3.2 : 1.5} />
          </g>
        ))}
        {labelled(points, isSteps).map((index) => <text key={index} x={x(index)} y={HEIGHT - 6} textAnchor={points.length > 1 && index === 0 ? 'start' : points.length > 1 && index === points.length - 1 ? 'end' : 'middle'}>{points[index]!.label}</text>)}
      </svg>
      <p className="hint chart-note">{shown ? `${shown.label}: ${format(shown.value)} (${shown.note})` : (points.at(-1)?.note ?? '')}</p>
    </>
  );
}

/** The first and the last; steps, which are no even times, each, as far as their names fit beside each other. */
function labelled(points: readonly Point[], isSteps: boolean): number[] {
  const room = (WIDTH - LEFT) / points.length;
  if (isSteps && points.every((one) => one.label.length * 6.5 < room)) return points.map((_, index) => index);
  return [...new Set([0, points.length - 1])];
}
