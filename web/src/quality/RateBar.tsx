/** A share with its interval on a line from 0 to 100%. */
import type { Shape } from '../api/client';

export const percent = (share: number) => `${(share * 100).toFixed(share && share < 0.1 ? 1 : 0)}%`;

export function RateBar({ rate, label }: { rate: Shape<'Rate'>; label: string }) {
  const x = (share: number) => 4 + share * 192;
  const words = `${label}: ${percent(rate.share)}, 95% interval ${percent(rate.low)} to ${percent(rate.high)}, ${rate.count} of ${rate.n}`;
  return (
    <span className="rate-bar">
      <svg viewBox="0 0 200 14" width="200" height="14" role="img" aria-label={words}>
        <line className="rail" x1={4} x2={196} y1={7} y2={7} /><line className="span" x1={x(rate.low)} x2={x(rate.high)} y1={7} y2={7} /><circle className="point" cx={x(rate.share)} cy={7} r={4} />
      </svg>
      <small>{percent(rate.share)} <span className="soft">({percent(rate.low)} to {percent(rate.high)}) {rate.count} of {rate.n}</span></small>
    </span>
  );
}
