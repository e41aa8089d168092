// No route without a declared access, and no declared access without its checks. A check that throws, rejects or
// returns anything but nothing refuses the request.
import { AppError, accesses } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { StartRefusal } from '../start-refusal.ts';
import type { Exchange } from './exchange.ts';

/** Of whatever is decided about: a request to this service, or one that another service asks about. */
export type Check<T = Exchange> = (exchange: T) => void | Promise<void>;

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

/** What a decision rests on: it stands while nothing changed in memory, and counts while the lease is live. */
export interface CurrentAccess {
  readonly generation: number;
  isLive(): boolean;
}

/**
 * Just before the handler: a body that trickles in must not outlive a revocation, nor a paused process its lease.
 * Decided again until one state of memory has answered all checks.
 */
export function confirm<T extends { decidedAt: number }>(
  checks: readonly Check<T>[],
  exchange: T,
  access: CurrentAccess,
  done: (error?: Error) => void,
): void {
  if (exchange.decidedAt === access.generation) {
    done(access.isLive() === true ? undefined : new AppError('unavailable'));
    return;
  }
  exchange.decidedAt = access.generation;
  runChecks(checks, exchange, (error) =>
    error === undefined ? confirm(checks, exchange, access, done) : done(error),
  );
}

/** Runs the checks one after the other. Stays in the same tick as long as no check waits. */
export function runChecks<T>(
  checks: readonly Check<T>[],
  exchange: T,
  done: (error?: Error) => void,
  from = 0,
): void {
  try {
    for (let index = from; index < checks.length; index += 1) {
      const check = checks[index];
      if (check === undefined) throw fault('A check is missing.');
      const result = check(exchange);
      if (result instanceof Promise) {
        continueAfter(result, checks, exchange, done, index + 1);
        return;
      }
      if (result !== undefined) throw fault('A check returned something.');
    }
  } catch (error) {
    done(asError(error));
    return;
  }
  done();
}

function continueAfter<T>(
  waiting: Promise<unknown>,
  checks: readonly Check<T>[],
  exchange: T,
  done: (error?: Error) => void,
  from: number,
): void {
  waiting.then(
    (value) => {
      if (value === undefined) runChecks(checks, exchange, done, from);
      else done(fault('A check returned something.'));
    },
    (error: unknown) => done(asError(error)),
  );
}

function fault(text: string): AppError {
  return new AppError('internal', { cause: new Error(text) });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new AppError('internal', { cause: error });
}
