// A small stock service. The guard decides in this process, with its copy of the rules, before any handler runs. The
// rules are in Portcullis and not in this file.
import { serve } from '@hono/node-server';
import { createGuard } from '@portcullis/guard';
import { protect } from '@portcullis/guard/hono';
import { Hono } from 'hono';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', PORT = '3000' } = process.env;
const guard = await createGuard({
  url: DECISION_URL,
  secret: DECISION_SECRET,
  service: 'stock',
  dev: process.env.PORTCULLIS_MODE === 'dev', // The mode of Portcullis.
});
const items = new Map(['Lamp', 'Chair', 'Table'].map((name, place) => [place + 1, { id: place + 1, name }]));

const app = new Hono();
// A route that reads a body needs `protect` again after reading it, so that a revocation that happens while a body is
// uploading still takes effect.
app.use(protect(guard));

app.get('/stock/items', (context) => {
  console.log(`${context.var.caller.username} lists items`);
  return context.json({ code: 200, data: [...items.values()] });
});

app.delete('/stock/items/:id', (context) => {
  console.log(`${context.var.caller.username} removes an item`);
  const isThere = items.delete(Number(context.req.param('id')));
  return context.json(isThere ? { code: 200 } : { code: 404, msg: 'There is no such item.' });
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, () =>
  console.log(`Listening on http://127.0.0.1:${PORT}`),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void guard.close().then(() => process.exit()));
