// Part of the composition root: a span for every request that writes, and the time of every login. Reading requests have
// none: they are the ones that come by the thousand.
import { type ErrorKind, loginEndpoint } from '@portcullis/contract';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/mount.ts';
import type { Histogram } from '../ops/histogram.ts';
import { noteError, startRequestSpan } from '../ops/trace.ts';

interface RouteObservation {
  readonly loginSeconds: Histogram;
  readonly monotonic: () => number;
}

export function observeRoutes(routes: readonly Route[], observation: RouteObservation): Route[] {
  return routes.map((route) => {
    if (route.endpoint === loginEndpoint) return observeLogin(route, observation);
    return route.endpoint.method === 'GET' ? route : traceHandler(route);
  });
}

function startSpan({ endpoint: { method, path } }: Route, { headers, requestId, caller }: Exchange) {
  return startRequestSpan(`${method} ${path}`, headers, {
    'http.request.method': method,
    'http.route': path,
    'portcullis.request_id': requestId,
    ...(caller === undefined ? {} : { 'user.id': String(caller.userId) }),
  });
}

function traceHandler(route: Route): Route {
  return {
    ...route,
    async handler(call) {
      const { span, run } = startSpan(route, call);
      try {
        return await run(() => route.handler(call));
      } catch (error) {
        noteError(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** A login ends when it is recorded: from the handler to the end of `answered`. */
function observeLogin(route: Route, { loginSeconds, monotonic }: RouteObservation): Route {
  const begun = new WeakMap<Exchange, ReturnType<typeof startSpan> & { startedAt: number }>();
  return {
    ...route,
    async handler(call) {
      const login = { ...startSpan(route, call), startedAt: monotonic() };
      begun.set(call, login);
      try {
        return await login.run(() => route.handler(call));
      } catch (error) {
        noteError(login.span, error);
        throw error;
      }
    },
    async answered(call: Exchange, failure: ErrorKind | undefined) {
      const login = begun.get(call);
      begun.delete(call);
      if (login === undefined) return await route.answered?.(call, failure);
      try {
        await login.run(() => route.answered?.(call, failure));
      } catch (error) {
        noteError(login.span, error);
        throw error;
      } finally {
        login.span.end();
        loginSeconds.observe((monotonic() - login.startedAt) / 1000);
      }
    },
  };
}
