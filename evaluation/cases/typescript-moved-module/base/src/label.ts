import { formatCents } from "./money";

export function priceLabel(title: string, cents: number): string {
  return `${title}: ${formatCents(cents)}`;
}
