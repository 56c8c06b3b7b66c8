/** What a page that is one file has in it; a page of the service has nothing. */
import type { Shape } from '../api/client';
import { Problem } from '../api/problem';
import type { Summary } from '../history/summary';
import type { ContextMap } from '../map/graph';
import type { Report, View } from '../report/findings';

export interface Contents {
  report?: Report;
  view?: View;
  map?: { changed: string[]; map: ContextMap };
}

export const isFile = typeof document !== 'undefined' && document.getElementById('contents') !== null;

export function contents(): Contents {
  return JSON.parse(document.getElementById('contents')!.textContent ?? '{}') as Contents;
}

/** By which the page knows the one report that it has. */
export const ID = 'report';

/** A row of the history for a report that no service keeps. */
export function summaryOf(report: Report): Summary {
  return { review_id: ID, status: 'completed', created_at: report.created_at, title: report.change.title, repository: '' } as Summary;
}

/** Reads for whoever has the file, and does nothing that needs a service. */
const READER: Partial<Shape<'Me'>> = { tenant: '', name: '', roles: ['read'], needs_token: false, formats: [] };

/** What the service would answer, out of the file. */
export function answersOf({ report, view }: Contents): (path: string) => Promise<unknown> {
  const address = `/api/review/${ID}`;
  const known: Record<string, unknown> = {
    '/api/me': READER,
    [`${address}/report`]: report,
    [`${address}/report/view`]: view,
    [`${address}/labels`]: { labels: [] },
    [`${address}/iterations`]: { iterations: [] },
  };
  return async (path) => {
    if (known[path] === undefined) throw new Problem(404, 'Not in this file', 'This file does not have it.', '');
    return known[path];
  };
}
