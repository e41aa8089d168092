// The lines of the README on the guard, word for word.

import type { Caller } from '@portcullis/contract';
import { createGuard } from '@portcullis/guard';
import { callerOf, protect } from '@portcullis/guard/express';
import express from 'express';

export async function startOrders(secret: string, listOrdersOf: (caller: Caller) => readonly string[]) {
  const guard = await createGuard({ url: 'http://127.0.0.1:8002', secret, service: 'orders' });
  const app = express();
  app.use(protect(guard), express.json(), protect(guard));
  app.get('/api/v1/orders', (request, response) => void response.json(listOrdersOf(callerOf(request))));
  process.once('SIGTERM', () => void guard.close());
  return app;
}
