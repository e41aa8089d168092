import { protect } from '@portcullis/guard/fetch';
import { getGuard, orders } from '../../../../../../guard';

interface Context {
  readonly params: Promise<{ readonly id: string }>;
}

export const POST = protect<Context>(getGuard, async (_request, { caller, params }) =>
  Response.json(await orders.cancel(caller, (await params).id), { headers: { 'cache-control': 'no-store' } }),
);
