/** What the user has filled in so far, and the request that it makes. */
import type { Shape } from '../api/client';

export type Source = 'diff' | 'request' | 'repository';

export interface Draft {
  source: Source;
  diff: string;
  url: string;
  repository: string;
  base: string;
  head: string;
  title: string;
}

export interface ChosenOptions {
  focus_areas: string[];
  severity_threshold: string;
  include_style: boolean;
}

export const EMPTY: Draft = { source: 'diff', diff: '', url: '', repository: '', base: '', head: '', title: '' };

/** What must be said before anything can be asked; null: nothing. */
export function missing(draft: Draft): string | null {
  if (draft.source === 'diff') return draft.diff.trim() ? null : 'Paste a diff, or drop a file.';
  if (draft.source === 'request') return requestField(draft.url) ? null : 'Give the address of a pull request (…/pull/12) or merge request (…/-/merge_requests/12).';
  return draft.repository && draft.base.trim() && draft.head.trim() ? null : 'Choose a repository, and name the revisions before and after the change.';
}

export function requestField(url: string): 'github_url' | 'gitlab_url' | null {
  const address = url.trim();
  if (!/^https?:\/\/\S+$/.test(address)) return null;
  if (/\/merge_requests\/\d+/.test(address)) return 'gitlab_url';
  return /\/pull\/\d+/.test(address) ? 'github_url' : null;
}

export function bodyOf(draft: Draft, options: ChosenOptions): Partial<Shape<'ReviewRequest'>> {
  return { ...sourceOf(draft), ...(draft.title.trim() ? { title: draft.title.trim() } : {}), options };
}

function sourceOf(draft: Draft): Record<string, string> {
  if (draft.source === 'diff') return { diff_text: draft.diff };
  if (draft.source === 'request') return { [requestField(draft.url) ?? 'github_url']: draft.url.trim() };
  return { repository: draft.repository, base: draft.base.trim(), head: draft.head.trim() };
}
