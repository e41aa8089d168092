// A small stock service. The guard decides in this process, with its copy of the rules, before any handler runs. The
// rules are in Portcullis and not in this file.
import { createGuard } from '@portcullis/guard';
import { protect } from '@portcullis/guard/fastify';
import Fastify from 'fastify';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', PORT = '3000' } = process.env;
const guard = await createGuard({
  url: DECISION_URL,
  secret: DECISION_SECRET,
  service: 'stock',
  dev: process.env.PORTCULLIS_MODE === 'dev', // The mode of Portcullis.
});
const items = new Map(['Lamp', 'Chair', 'Table'].map((name, place) => [place + 1, { id: place + 1, name }]));

const app = Fastify();
protect(app, guard);

app.get('/stock/items', async ({ caller }) => {
  console.log(`${caller.username} lists items`);
  return { code: 200, data: [...items.values()] };
});

app.delete<{ Params: { id: string } }>('/stock/items/:id', async ({ caller, params }) => {
  console.log(`${caller.username} removes an item`);
  return items.delete(Number(params.id)) ? { code: 200 } : { code: 404, msg: 'There is no such item.' };
});

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
console.log(`Listening on http://127.0.0.1:${PORT}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void guard.close().then(() => process.exit()));
