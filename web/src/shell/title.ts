/** The title of the tab; what stands in a change cannot hide or turn around anything in it. */
import { useEffect } from 'react';
import { oneLine } from '../report/text';

export function tabTitle(title: string): string {
  const shown = oneLine(title, 120);
  return shown ? `${shown} · Affidavit` : 'Affidavit';
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = tabTitle(title);
  }, [title]);
}
