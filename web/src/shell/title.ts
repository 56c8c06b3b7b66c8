/** The title of the tab. */
import { useEffect } from 'react';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Affidavit` : 'Affidavit';
  }, [title]);
}
