/** Single keys as commands, where nobody is typing. */
import { useEffect, useRef } from 'react';

export function useKeys(commands: Record<string, () => void>): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A dialog has the keys for itself.
      if (document.querySelector('dialog[open]')) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]')) return;
      const command = latest.current[event.key];
      if (!command) return;
      event.preventDefault();
      command();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
