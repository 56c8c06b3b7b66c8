// Before anything is drawn: the chosen theme, so that the page does not flash in the other one.
try {
  const theme = localStorage.getItem('affidavit.theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system.
}
