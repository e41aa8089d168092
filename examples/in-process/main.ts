// Order management in one process with Portcullis: login, the permission check and the orders on one port.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError, type Caller, dataReply, defineEndpoint } from '@portcullis/contract';
import { isInScope } from '@portcullis/guard/data-scope';
import { scopeWhere } from '@portcullis/guard/kysely';
import { createPortcullis, route } from '@portcullis/server';
import { type Generated, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { Type } from 'typebox';

interface OrderRow {
  id: string;
  customer: string;
  amount: number;
  status: Generated<string>;
  created_by: number;
  department_id: number;
}

const Order = Type.Object({
  id: Type.String(),
  customer: Type.String(),
  amount: Type.Integer(),
  status: Type.String(),
});
const NewOrder = Type.Object({
  customer: Type.String({ minLength: 1, maxLength: 64 }),
  amount: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  departmentId: Type.Integer({ minimum: 1 }),
});

const listOrders = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders',
  access: 'permission',
  title: 'List orders',
  reply: dataReply(Type.Array(Order)),
});
const createOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders',
  access: 'permission',
  title: 'Create an order',
  body: NewOrder,
  reply: dataReply(Order),
});
const cancelOrder = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/:id/cancel',
  access: 'permission',
  title: 'Cancel an order',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 36 }) }),
  reply: dataReply(Order),
});

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query(readFileSync(new URL('../orders.sql', import.meta.url), 'utf8'));
const db = new Kysely<{ orders: OrderRow }>({ dialect: new PostgresDialect({ pool }) });

const shown = ['id', 'customer', 'amount', 'status'] as const;
const columns = { owner: 'created_by', department: 'department_id' } as const;
const report = (what: string, { username }: Caller) => console.log(`${username} ${what}`);

const portcullis = await createPortcullis({
  // As in the settings file; the environment wins.
  settings: { auth: { tokenLifetimeSeconds: 1800 } },
  endpoints: ({ resolveScope }) => [
    route(listOrders, async ({ caller }) => {
      report('lists orders', caller);
      const mine = scopeWhere(await resolveScope(caller), columns);
      return { data: await db.selectFrom('orders').select(shown).where(mine).orderBy('id').execute() };
    }),
    route(createOrder, async ({ caller, body: { customer, amount, departmentId } }) => {
      report('creates an order', caller);
      const row = {
        id: randomUUID(),
        customer,
        amount,
        created_by: caller.userId,
        department_id: departmentId,
      };
      // Nobody makes an order that they could not see.
      if (!isInScope(await resolveScope(caller), { owner: row.created_by, department: row.department_id }))
        throw new AppError('record_not_found');
      const added = await db.insertInto('orders').values(row).returning(shown).executeTakeFirstOrThrow();
      return { data: added };
    }),
    route(cancelOrder, async ({ caller, params }) => {
      report('cancels an order', caller);
      const cancelled = await db
        .updateTable('orders')
        .set({ status: 'cancelled' })
        .where('id', '=', params.id)
        .where('status', '=', 'open')
        .where(scopeWhere(await resolveScope(caller), columns))
        .returning(shown)
        .executeTakeFirst();
      if (cancelled === undefined) throw new AppError('record_not_found');
      return { data: cancelled };
    }),
  ],
});

if (portcullis.firstAdministrator !== undefined)
  console.log('The administrator was created; shown once:', portcullis.firstAdministrator);
await portcullis.listen();
process.once('SIGTERM', async () => {
  await portcullis.close();
  await pool.end();
});
