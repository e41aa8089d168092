// Part of the composition root: a trace span for every writing request, and the duration of every login. Reading requests have no
// span, because they come by the thousand.
import { type ErrorKind, loginEndpoint, type Route, routeName } from '@portcullis/contract';
import type { Histogram } from '../base/ops/histogram.ts';
import { noteError, startRequestSpan } from '../base/ops/trace.ts';
import type { RequestContext } from '../http/request-context.ts';

interface RouteObservation {
  readonly loginSeconds: Pick<Histogram, 'observe'>;
  readonly noteLogin: (milliseconds: number) => void;
  readonly monotonic: () => number;
}

export function observeRoutes(routes: readonly Route[], observation: RouteObservation): Route[] {
  return routes.map((route) => {
    if (route.endpoint === loginEndpoint) return observeLogin(route, observation);
    return route.endpoint.method === 'GET' ? route : traceHandler(route);
  });
}

function startSpan({ endpoint: { method, path } }: Route, { headers, requestId, caller }: RequestContext) {
  return startRequestSpan(routeName({ method, path }), headers, {
    'http.request.method': method,
    'http.route': path,
    'portcullis.request_id': requestId,
    ...(caller === undefined ? {} : { 'user.id': String(caller.userId) }),
  });
}

function traceHandler(route: Route): Route {
  return {
    ...route,
    async handle(call: RequestContext, state) {
      const { span, run } = startSpan(route, call);
      try {
        return await run(() => route.handle(call, state));
      } catch (error) {
        noteError(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

interface ObservedLogin extends ReturnType<typeof startSpan> {
  readonly startedAt: number;
  isEnded: boolean;
  /** The state of the observed route. */
  readonly state: unknown;
}

/** A login ends when it is recorded, so it is measured from the handler to the end of `onAnswer`. */
function observeLogin(route: Route, { loginSeconds, noteLogin, monotonic }: RouteObservation): Route {
  return {
    ...route,
    begin(call: RequestContext): ObservedLogin {
      const state = route.begin?.(call);
      return { ...startSpan(route, call), startedAt: monotonic(), isEnded: false, state };
    },
    async handle(call, login: ObservedLogin) {
      try {
        return await login.run(() => route.handle(call, login.state));
      } catch (error) {
        noteError(login.span, error);
        throw error;
      }
    },
    async onAnswer(call, login: ObservedLogin | undefined, failure: ErrorKind | undefined) {
      const tell = () => route.onAnswer?.(call, login?.state, failure);
      if (login === undefined || login.isEnded) return await tell();
      login.isEnded = true;
      try {
        await login.run(tell);
      } catch (error) {
        noteError(login.span, error);
        throw error;
      } finally {
        login.span.end();
        const milliseconds = monotonic() - login.startedAt;
        loginSeconds.observe(milliseconds / 1000);
        noteLogin(milliseconds);
      }
    },
  };
}
