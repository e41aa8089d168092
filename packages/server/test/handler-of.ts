// The handler of an endpoint among the routes of a room, called without HTTP.
import type { Endpoint, Handler, Route } from '@portcullis/contract';

export function handlerOf<E extends Endpoint>(routes: readonly Route[], endpoint: E): Handler<E> {
  return routeOf(routes, endpoint).handle as Handler<E>;
}

export function routeOf(routes: readonly Route[], endpoint: Endpoint): Route {
  const found = routes.find((route) => route.endpoint === endpoint);
  if (found === undefined) throw new Error(`No route serves ${endpoint.method} ${endpoint.path}.`);
  return found;
}
