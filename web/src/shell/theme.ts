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
