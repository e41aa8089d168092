// Orders in memory, for the examples that are about a framework. Whose orders a caller sees is a filter here; in SQL it is
// in express-guard.
import { randomUUID } from 'node:crypto';
import type { Caller } from '@portcullis/guard';
import { fetchScope, isInScope } from '@portcullis/guard/data-scope';

interface Order {
  readonly id: string;
  readonly customer: string;
  readonly amount: number;
  status: 'open' | 'cancelled';
  readonly owner: number;
  readonly department: number;
}

interface Reply {
  readonly code: number;
  readonly msg: string;
  readonly data?: unknown;
}

const noRecord: Reply = { code: 404, msg: 'There is no such record.' };
const malformed: Reply = { code: 400, msg: 'The request is incomplete or malformed. Check its fields.' };
const show = ({ id, customer, amount, status }: Order) => ({ id, customer, amount, status });
const success = (data: unknown): Reply => ({ code: 200, msg: 'success', data });

export function createOrders(portcullis: { readonly url: string; readonly secret: string }) {
  const orders: Order[] = [];
  return {
    async list(caller: Caller): Promise<Reply> {
      console.log(`${caller.username} lists orders`);
      const scope = await fetchScope(portcullis, caller);
      return success(orders.filter((order) => isInScope(scope, order)).map(show));
    },

    async create(caller: Caller, body: unknown): Promise<Reply> {
      console.log(`${caller.username} creates an order`);
      const { customer, amount, departmentId: department } = (body ?? {}) as Record<string, unknown>;
      if (typeof customer !== 'string' || !/^.{1,64}$/.test(customer)) return malformed;
      if (!isCount(amount) || !isCount(department)) return malformed;
      // Nobody makes an order that they could not see.
      const scope = await fetchScope(portcullis, caller);
      if (!isInScope(scope, { owner: caller.userId, department })) return noRecord;
      const order: Order = {
        ...{ id: randomUUID(), customer, amount, status: 'open' },
        ...{ owner: caller.userId, department },
      };
      orders.push(order);
      return success(show(order));
    },

    async cancel(caller: Caller, id: string): Promise<Reply> {
      console.log(`${caller.username} cancels an order`);
      const scope = await fetchScope(portcullis, caller);
      const order = orders.find((one) => one.id === id && one.status === 'open' && isInScope(scope, one));
      if (order === undefined) return noRecord;
      order.status = 'cancelled';
      return success(show(order));
    },
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000;
}
