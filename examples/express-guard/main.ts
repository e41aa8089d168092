// Order management in Express. The guard decides in this process, by what it holds of Portcullis; without it there is no
// way to a handler.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createGuard } from '@portcullis/guard';
import { fetchScope, isInScope, scopeSql } from '@portcullis/guard/data-scope';
import { callerOf, protect } from '@portcullis/guard/express';
import express, { type ErrorRequestHandler } from 'express';
import pg from 'pg';

const {
  DECISION_URL = 'http://127.0.0.1:8002',
  DECISION_SECRET = '',
  DATABASE_URL,
  PORT = '9000',
} = process.env;
const portcullis = { url: DECISION_URL, secret: DECISION_SECRET };
const dev = process.env.APPLICATION_MODE === 'dev'; // As Portcullis itself runs.
const guard = await createGuard({ ...portcullis, service: 'orders', dev });

const pool = new pg.Pool({ connectionString: DATABASE_URL });
await pool.query(readFileSync(new URL('../orders.sql', import.meta.url), 'utf8'));
const shown = 'id, customer, amount, status';
const columns = { owner: 'created_by', department: 'department_id' };
const noRecord = { code: 404, msg: 'There is no such record.' };

const app = express().disable('x-powered-by');
app.use((_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
});
// Before the body parser, so that no body is read from a caller who is refused; after it, so that a revocation during the
// upload takes effect.
app.use(protect(guard), express.json({ limit: '16kb' }), protect(guard));

app.get('/api/v1/orders', async (request, response) => {
  const caller = callerOf(request);
  console.log(`${caller.username} lists orders`);
  const { text, values } = scopeSql(await fetchScope(portcullis, caller), columns);
  const { rows } = await pool.query(`select ${shown} from orders where ${text} order by id`, values);
  response.json({ code: 200, msg: 'success', data: rows });
});

app.post('/api/v1/orders', async (request, response) => {
  const caller = callerOf(request);
  console.log(`${caller.username} creates an order`);
  const { customer, amount, departmentId } = request.body ?? {};
  if (
    typeof customer !== 'string' ||
    !/^.{1,64}$/.test(customer) ||
    !isCount(amount) ||
    !isCount(departmentId)
  )
    return void response.json({
      code: 400,
      msg: 'The request is incomplete or malformed. Check its fields.',
    });
  // Nobody makes an order that they could not see.
  const scope = await fetchScope(portcullis, caller);
  if (!isInScope(scope, { owner: caller.userId, department: departmentId }))
    return void response.json(noRecord);
  const { rows } = await pool.query(
    `insert into orders (id, customer, amount, created_by, department_id) values ($1, $2, $3, $4, $5) returning ${shown}`,
    [randomUUID(), customer, amount, caller.userId, departmentId],
  );
  response.json({ code: 200, msg: 'success', data: rows[0] });
});

app.post('/api/v1/orders/:id/cancel', async (request, response) => {
  const caller = callerOf(request);
  console.log(`${caller.username} cancels an order`);
  const { text, values } = scopeSql(await fetchScope(portcullis, caller), columns, 2);
  const { rows } = await pool.query(
    `update orders set status = 'cancelled' where id = $1 and status = 'open' and ${text} returning ${shown}`,
    [request.params.id, ...values],
  );
  response.json(rows.length === 0 ? noRecord : { code: 200, msg: 'success', data: rows[0] });
});

const reportFault: ErrorRequestHandler = (error, _request, response, _next) => {
  const isTheirs = error.status >= 400 && error.status < 500;
  if (!isTheirs) console.error(error);
  response
    .status(isTheirs ? error.status : 503)
    .json({ code: isTheirs ? error.status : 503, msg: isTheirs ? 'Check the body.' : 'Try again shortly.' });
};
app.use(reportFault);

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000;
}

const server = app.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`Listening on ${(server.address() as AddressInfo).port}`),
);
process.once('SIGTERM', async () => {
  server.close();
  server.closeIdleConnections();
  await guard.close();
  await pool.end();
});
