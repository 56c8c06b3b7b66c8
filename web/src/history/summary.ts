/** A review in one row of a list. */
import type { Shape } from '../api/client';

export type Summary = Shape<'ReviewSummary'>;
export type Page = Shape<'ReviewPage'>;

export const VERDICTS: Record<string, string> = {
  approve: 'Approved',
  request_changes: 'Changes requested',
  comment: 'Comment',
};

const STATES: Record<Summary['status'], string> = { queued: 'Waiting', running: 'Running', completed: 'Completed', failed: 'Failed', cancelled: 'Cancelled' };

/** Its verdict; where it has none, how it stands. */
export function stateWord({ verdict, status }: Summary): string {
  return VERDICTS[verdict ?? ''] ?? STATES[status];
}

export const isOver = (summary: Summary): boolean => ['completed', 'failed', 'cancelled'].includes(summary.status);
