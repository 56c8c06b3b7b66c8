export function roundCents(exact: number): number {
  return Math.round(exact);
}

export function formatCents(cents: number): string {
  return (cents / 100).toFixed(2);
}
