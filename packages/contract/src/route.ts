// A route: an endpoint with its handler, ours or a business service's. The HTTP server mounts it.
import type { Endpoint, StreamEndpoint } from './endpoint.ts';
import type { ErrorKind } from './errors/error-table.ts';
import type { Call, Handler, Reply } from './handler.ts';

/** A handler with a state per call, which is also called with its answers. Not for streams. */
export interface StatefulHandler<E extends Endpoint, State> {
  /** Called when all checks have passed, right before `handle`. */
  begin(call: Call<E>): State;
  handle(call: Call<E>, state: State): E extends StreamEndpoint ? never : Reply<E> | Promise<Reply<E>>;
  /**
   * Called with every answer before it is sent. `failure` is undefined for a success, `state` when the call was refused before its
   * handler. An answer waits for the promise. A success whose promise is rejected becomes that error, which is also passed to this
   * function; any other answer is sent unchanged.
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
