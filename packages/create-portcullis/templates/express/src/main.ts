// A small stock service. The guard decides in this process, with its copy of the rules, before any handler runs. The
// rules are in Portcullis and not in this file.
import { createGuard } from '@portcullis/guard';
import { callerOf, protect } from '@portcullis/guard/express';
import express from 'express';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', PORT = '3000' } = process.env;
const guard = await createGuard({
  url: DECISION_URL,
  secret: DECISION_SECRET,
  service: 'stock',
  dev: process.env.PORTCULLIS_MODE === 'dev', // The mode of Portcullis.
});
const items = new Map(['Lamp', 'Chair', 'Table'].map((name, place) => [place + 1, { id: place + 1, name }]));

const app = express();
// Before the body parser, so that the service does not read bodies of refused requests, and after it, so that a
// revocation that happens while a body is uploading still takes effect.
app.use(protect(guard), express.json(), protect(guard));

app.get('/stock/items', (request, response) => {
  console.log(`${callerOf(request).username} lists items`);
  response.json({ code: 200, data: [...items.values()] });
});

app.delete('/stock/items/:id', (request, response) => {
  console.log(`${callerOf(request).username} removes an item`);
  const isThere = items.delete(Number(request.params.id));
  response.json(isThere ? { code: 200 } : { code: 404, msg: 'There is no such item.' });
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}`));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void guard.close().then(() => process.exit()));
