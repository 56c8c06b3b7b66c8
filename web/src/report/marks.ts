/** Whose mark stands on a finding, and what pressing one makes of it. */
import type { Shape } from '../api/client';
import { ago, oneLine } from './text';

export type Label = 'valid' | 'wrong' | 'nit';
export type Entry = Pick<Shape<'FindingLabel'>, 'finding_id' | 'label' | 'by' | 'at'>;

export interface Mark {
  label: Label;
  by: string;
  at: string;
}

export function markOf(entries: readonly Entry[], id: string): Mark | null {
  const entry = entries.find((one) => one.finding_id === id);
  return entry?.label ? { label: entry.label, by: entry.by, at: entry.at } : null;
}

export function withMark(entries: readonly Entry[], id: string, mark: Mark | null): Entry[] {
  const others = entries.filter((one) => one.finding_id !== id);
  return mark ? [...others, { finding_id: id, ...mark }] : others;
}

/** The same again takes back one's own mark and leaves somebody else's; another one replaces either. */
export function pressed(standing: Mark | null, label: Label, me: string): 'set' | 'remove' | 'keep' {
  if (standing?.label !== label) return 'set';
  return standing.by === me ? 'remove' : 'keep';
}

/** Whether somebody else has marked it since the reader looked: that must be seen before it is replaced. */
export function isOvertaken(seen: Mark | null, now: Mark | null, me: string): boolean {
  return now !== null && now.by !== me && (seen?.by !== now.by || seen.label !== now.label);
}

/** `by ada, 3 minutes ago`. */
export function whose({ by, at }: Mark): string {
  return `by ${oneLine(by, 60) || 'somebody'}${at ? `, ${ago(at)}` : ''}`;
}
