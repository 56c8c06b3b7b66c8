import type { Database } from "./database";
import { ordersOfDay } from "./orders";

export async function listOrders(db: Database, day: string): Promise<string[]> {
  const orders = await ordersOfDay(db, day);
  return orders.map((order) => `${order.id} ${order.placedAt}`);
}
