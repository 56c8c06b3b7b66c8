/** Light or dark: the system's choice until the user makes one. */

export function toggleTheme(): void {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('affidavit.theme', root.dataset.theme);
  } catch {
    // It then holds until the page is left.
  }
}

/** The choice that this browser remembers. */
export function applyTheme(): void {
  try {
    const theme = localStorage.getItem('affidavit.theme');
    if (theme) document.documentElement.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing follows the system.
  }
}

export function ThemeButton() {
  return (
    <button type="button" className="quiet" onClick={toggleTheme} title="Light or dark (t)" aria-label="Light or dark">
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.5" /><path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" /></svg>
    </button>
  );
}
