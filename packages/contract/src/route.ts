// An endpoint with what serves it, ours and a business service's alike. Whoever speaks HTTP mounts it.
import type { Endpoint, StreamEndpoint } from './endpoint.ts';
import type { ErrorKind } from './errors/error-table.ts';
import type { Call, Handler, Reply } from './handler.ts';

/** A handler that is told of its answers, and has a state that goes with the call until then. Not for streams. */
export interface StatefulHandler<E extends Endpoint, State> {
  /** Called when nothing has refused the call, right before `handle`. */
  begin(call: Call<E>): State;
  handle(call: Call<E>, state: State): E extends StreamEndpoint ? never : Reply<E> | Promise<Reply<E>>;
  /**
   * Told of every answer before it leaves. `failure` is undefined for a success, `state` where the call was refused
   * before its handler. An answer waits for the promise: a success whose promise is rejected becomes that error, which
   * is told too; any other answer leaves as it is.
   */
  onAnswer(call: Call<E>, state: State | undefined, failure: ErrorKind | undefined): void | Promise<void>;
}

/** Made by `route`, which ties the types of endpoint and handler together. */
export interface Route {
  readonly endpoint: Endpoint;
  begin?(call: object): unknown;
  handle(call: object, state?: unknown): object | Promise<object>;
  onAnswer?(call: object, state: unknown, failure: ErrorKind | undefined): void | Promise<void>;
}

/**
 * @example route(listOrders, async ({ caller, query }) => ({ data: await findOrders(caller, query) }))
 */
export function route<E extends Endpoint, State>(
  endpoint: E,
  handler: Handler<NoInfer<E>> | StatefulHandler<NoInfer<E>, State>,
): Route {
  return { endpoint, ...(typeof handler === 'function' ? { handle: handler } : handler) } as Route;
}
