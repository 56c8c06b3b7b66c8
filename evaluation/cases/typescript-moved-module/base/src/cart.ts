import { roundCents } from "./money";

export interface Position {
  cents: number;
  quantity: number;
}

export function cartTotal(positions: Position[], discount: number): number {
  const full = positions.reduce((sum, one) => sum + one.cents * one.quantity, 0);
  return roundCents(full * (1 - discount));
}
