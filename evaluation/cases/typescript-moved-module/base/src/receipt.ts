import { cartTotal, type Position } from "./cart";
import { formatCents } from "./money";

export function receipt(positions: Position[]): string {
  return `Total: ${formatCents(cartTotal(positions, 0))}`;
}
