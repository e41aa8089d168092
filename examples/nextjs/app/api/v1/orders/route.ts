// The handlers of /api/v1/orders. Each is wrapped: Next has no place before all of them that a request cannot go around.
import { protect } from '@portcullis/guard/fetch';
import { getGuard, orders } from '../../../../guard';

const headers = { 'cache-control': 'no-store' };

export const GET = protect(getGuard, async (_request, { caller }) =>
  Response.json(await orders.list(caller), { headers }),
);

export const POST = protect(getGuard, async (request, { caller }) => {
  const body: unknown = await request.json().catch(() => undefined);
  // Again, so that what was revoked while the body arrived counts.
  const decision = await (await getGuard()).decide(request);
  if (decision.allowed !== true) return new Response(decision.body, decision);
  return Response.json(await orders.create(caller, body), { headers });
});
