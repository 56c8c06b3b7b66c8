const EDITORS = new Set(["mara", "jonas"]);

export function mayEdit(user: string): boolean {
  return EDITORS.has(user);
}
