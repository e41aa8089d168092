// The lines of the README on requests of the Fetch API, word for word.

import type { Caller } from '@portcullis/contract';
import type { Guard } from '@portcullis/guard';
import { createGuard } from '@portcullis/guard';
import { protect } from '@portcullis/guard/fetch';

export function handleOrders(
  secret: string,
  listOrdersOf: (caller: Caller) => readonly string[],
  addOrder: (caller: Caller, body: unknown) => string,
) {
  let joining: Promise<Guard> | undefined;
  const getGuard = () =>
    (joining ??= createGuard({ url: 'http://127.0.0.1:8002', secret, service: 'orders' }));

  const GET = protect(getGuard, (_request, { caller }) => Response.json(listOrdersOf(caller)));
  const POST = protect(getGuard, async (request, { caller }) => {
    const body = await request.json();
    const decision = await (await getGuard()).decide(request); // Again, now that the body is here.
    return decision.allowed ? Response.json(addOrder(caller, body)) : new Response(decision.body, decision);
  });
  return { GET, POST };
}
