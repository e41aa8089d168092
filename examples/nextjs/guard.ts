// The guard of this process: joined with the first request that asks for it, and not while Next builds.
import { createGuard, type Guard } from '@portcullis/guard';
import { createOrders } from './orders';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', APPLICATION_MODE } = process.env;
const portcullis = { url: DECISION_URL, secret: DECISION_SECRET };

interface Kept {
  guard?: Promise<Guard> | undefined;
  orders?: ReturnType<typeof createOrders>;
}
// Next loads this file once for each route: what there is to be one of is kept where all of them find it.
const kept = globalThis as unknown as { orders: Kept };
kept.orders ??= {};

export function getGuard(): Promise<Guard> {
  kept.orders.guard ??= join();
  return kept.orders.guard;
}

/** One that could not join is forgotten: the next request tries again. */
async function join(): Promise<Guard> {
  try {
    const guard = await createGuard({ ...portcullis, service: 'orders', dev: APPLICATION_MODE === 'dev' });
    process.once('SIGTERM', () => void guard.close());
    return guard;
  } catch (error) {
    kept.orders.guard = undefined;
    throw error;
  }
}

kept.orders.orders ??= createOrders(portcullis);
export const orders = kept.orders.orders;
