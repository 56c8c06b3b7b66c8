import type { Database } from "./database";

export interface Customer {
  id: number;
  name: string;
}

export async function customerById(db: Database, id: number): Promise<Customer | undefined> {
  const rows = await db.query<Customer>("SELECT id, name FROM customers WHERE id = $1", [id]);
  return rows[0];
}

export async function customersByIds(db: Database, ids: number[]): Promise<Customer[]> {
  return db.query<Customer>("SELECT id, name FROM customers WHERE id = ANY($1)", [ids]);
}
