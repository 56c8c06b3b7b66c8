/** A review in one row of a list. */

export interface Summary {
  review_id: string;
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  source: string;
  repository: string | null;
  base: string | null;
  head: string | null;
  title: string | null;
  submitted_by: string | null;
  url: string | null;
  stage: string | null;
  verdict: string | null;
  summary: string | null;
  duration_ms: number | null;
  findings: { shown: number; withheld: number; blocking: number; by_severity: Record<string, number> } | null;
  reason: string | null;
  cancelled_by: string | null;
  models: Record<string, string>;
  prompt_version: string | null;
  cost_usd: number | null;
  tokens: number | null;
  is_incomplete: boolean | null;
  attempt: number;
  series?: string | null;
  iteration?: number | null;
}

export interface Page {
  reviews: Summary[];
  next_cursor: string | null;
}

export const VERDICTS: Record<string, string> = {
  approve: 'Approved',
  request_changes: 'Changes requested',
  comment: 'Comment',
};

export const isOver = (summary: Summary): boolean => ['completed', 'failed', 'cancelled'].includes(summary.status);
