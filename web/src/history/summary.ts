/** A review in one row of a list. */
import type { Shape } from '../api/client';

export type Summary = Shape<'ReviewSummary'>;
export type Page = Shape<'ReviewPage'>;

export const VERDICTS: Record<string, string> = {
  approve: 'Approved',
  request_changes: 'Changes requested',
  comment: 'Comment',
};

export const isOver = (summary: Summary): boolean => ['completed', 'failed', 'cancelled'].includes(summary.status);
