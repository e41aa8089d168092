// No route without a declared access, and no declared access without its checks. A check that throws, rejects or
// returns anything but nothing refuses the request.
import { AppError, accesses } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { StartRefusal } from '../start-refusal.ts';
import type { Exchange } from './exchange.ts';

export type Check = (exchange: Exchange) => void | Promise<void>;

/** What is wrong with declared endpoints, each with what to do; empty where nothing is. */
export function lintAccesses(
  endpoints: readonly { method: string; path: string; access?: unknown }[],
): string[] {
  return endpoints
    .filter(({ access }) => !accesses.some((known) => known === access))
    .map(
      ({ method, path }) =>
        `The route ${method} ${path} declares no access. Declare it with defineEndpoint and an access of ${accesses.join(', ')}.`,
    );
}

/** The net below: a route that somebody registers past the declarations stops the start too. */
export function refuseUndeclaredRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    const problems = lintAccesses([{ method: String(method), path: url, access: config?.access }]);
    if (problems.length > 0) throw new StartRefusal(problems);
  });
}

/** Runs the checks one after the other. Stays in the same tick as long as no check waits. */
export function runChecks(
  checks: readonly Check[],
  exchange: Exchange,
  done: (error?: Error) => void,
  from = 0,
): void {
  for (let index = from; index < checks.length; index += 1) {
    let result: void | Promise<void>;
    try {
      result = callCheck(checks[index], exchange);
    } catch (error) {
      done(asError(error));
      return;
    }
    if (result instanceof Promise) {
      result.then(
        (value: unknown) =>
          value === undefined ? runChecks(checks, exchange, done, index + 1) : done(unknownResult()),
        (error: unknown) => done(asError(error)),
      );
      return;
    }
    if (result !== undefined) {
      done(unknownResult());
      return;
    }
  }
  done();
}

/** A check that is missing is no check that passed. */
function callCheck(check: Check | undefined, exchange: Exchange): void | Promise<void> {
  if (check === undefined) throw new AppError('internal', { cause: new Error('A check is missing.') });
  return check(exchange);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new AppError('internal', { cause: error });
}

function unknownResult(): AppError {
  return new AppError('internal', { cause: new Error('A check returned something.') });
}
