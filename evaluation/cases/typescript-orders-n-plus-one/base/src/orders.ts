import type { Database } from "./database";

export interface Order {
  id: number;
  customerId: number;
  placedAt: string;
}

export async function ordersOfDay(db: Database, day: string): Promise<Order[]> {
  return db.query<Order>('SELECT id, "customerId", "placedAt" FROM orders WHERE day = $1', [day]);
}
