// Order management in Hono. The guard decides in this process, by what it holds of Portcullis; without it there is no way
// to a handler.
import { serve } from '@hono/node-server';
import { createGuard } from '@portcullis/guard';
import { protect } from '@portcullis/guard/hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createOrders } from '../orders.ts';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', PORT = '9000' } = process.env;
const portcullis = { url: DECISION_URL, secret: DECISION_SECRET };
const dev = process.env.APPLICATION_MODE === 'dev'; // As Portcullis itself runs.
const guard = await createGuard({ ...portcullis, service: 'orders', dev });
const orders = createOrders(portcullis);

const app = new Hono();
app.use(async (context, next) => {
  await next();
  context.header('Cache-Control', 'no-store');
});
// Before the body, so that nobody reads those of strangers, and behind it, so that what is revoked while it arrives counts.
app.use(protect(guard));
app.use(bodyLimit({ maxSize: 16 * 1024 }), async (context, next) => {
  await context.req.arrayBuffer(); // Hono keeps it for the handler.
  await next();
});
app.use(protect(guard));

app.get('/api/v1/orders', async ({ var: { caller }, json }) => json(await orders.list(caller)));
app.post('/api/v1/orders', async ({ var: { caller }, req, json }) =>
  json(await orders.create(caller, await req.json().catch(() => undefined))),
);
app.post('/api/v1/orders/:id/cancel', async ({ var: { caller }, req, json }) =>
  json(await orders.cancel(caller, req.param('id'))),
);

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) =>
  console.log(`Listening on ${port}`),
);
process.once('SIGTERM', async () => {
  server.close();
  await guard.close();
});
