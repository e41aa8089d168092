// Check pipeline (middleware): the order of the authentication and authorization checks, and how they run. The service
// uses it for its own requests and for decisions about requests to other services; a guard uses it too. No check can be
// skipped, and only this file defines the order (Spec, What the service does). A check that throws, rejects or returns a
// value rejects the request.
import { type Access, AppError } from '@portcullis/contract';
import type { CurrentAccess } from './access/current-access.ts';
import type { Revision } from './access/follower.ts';
import type { CsrfCheckedRequest } from './checks/csrf-check.ts';
import type { Identifiable } from './checks/identity-check.ts';
import type { Permissible } from './checks/permission-check.ts';
import type { ReceivedRequest } from './request/received-request.ts';

/** The fields of a request that the checks read. The request is to this service, or another service received it. */
export type AnyRequest = Identifiable & CsrfCheckedRequest & Permissible;

export type Check<T = AnyRequest> = (request: T) => void | Promise<void>;

/** The checks of one row of the tables below, and the checks that run again if access changed meanwhile. */
export interface Stages<T = AnyRequest> {
  readonly first: readonly Check<T>[];
  readonly again: readonly Check<T>[];
}

export interface Checks<T = AnyRequest> {
  /** Lease check: without a live lease, this process is not allowed to decide. */
  readonly leased: Check<T>;
  readonly identify: Check<T>;
  /**
   * CSRF check: the browser sends a cookie automatically, so the request must come from our own site or a listed
   * origin.
   */
  readonly site: Check<T>;
  /** Forced password change. It is a claim of the token, so it is checked once. */
  readonly passwordDue: Check<T>;
  readonly permit: Check<T>;
}

type WithAddress<T> = T & { readonly ip: string };

export interface OwnChecks<T = AnyRequest> extends Omit<Checks<T>, 'identify'> {
  /** Rate limit of unauthenticated requests. */
  readonly limit: Check<WithAddress<T>>;
  /** Identity check. A failed verification of a token counts against the rate limit of its network. */
  readonly identify: Check<WithAddress<T>>;
  /** Rate limit of each caller. It runs after the identity check, so that only the caller can use the limit up. */
  readonly limitCaller: Check<T>;
}

/** The pipeline for requests to this service, by the access that their endpoint declares. */
// biome-ignore format: One column a check.
export function createPipeline<T extends AnyRequest>({ limit, leased, identify, limitCaller, site, passwordDue, permit }: OwnChecks<T>): Record<Access, Stages<WithAddress<T>>> {
  return {
    //                    1. limit  2. leased  3. caller 4. caller limit  5. CSRF        6. password due  7. permit again, if access changed before the handler
    public:     { first: [limit                                                                                 ], again: [                         ] },
    identity:   { first: [          leased,    identify, limitCaller,     site,          passwordDue            ], again: [leased, identify         ] },
    permission: { first: [          leased,    identify, limitCaller,     site,          passwordDue,     permit], again: [leased, identify, permit ] },
  };
}

export interface DecisionChecks extends Checks<ReceivedRequest> {
  /** Whether every reader understands the method and the target in the same way. */
  readonly canonical: Check<ReceivedRequest>;
}

/**
 * The pipeline for requests that another service received. `asked`: the request carries a token. `named`: the asking
 * service names a user or a role.
 */
// biome-ignore format: One column a check.
export function createDecisionPipeline({ leased, canonical, identify, site, passwordDue, permit }: DecisionChecks): Record<'asked' | 'named', Stages<ReceivedRequest>> {
  return {
    //               1. leased  2. canonic. 3. caller 4. CSRF        5. password due  6. permit again, if access changed meanwhile
    asked: { first: [leased,    canonical,  identify, site,          passwordDue,     permit], again: [leased, identify, permit ] },
    named: { first: [leased,    canonical,                           passwordDue,     permit], again: [leased,           permit ] },
  };
}

/** Runs a whole decision: the first checks, then `confirm`. Returns without a promise if no check waits. */
export function runStages<T extends Decided>(
  { first, again }: Stages<T>,
  request: T,
  current: CurrentAccess,
): void | Promise<void> {
  request.decidedAt = current.generation;
  const waiting = runChecks(first, request);
  return waiting === undefined
    ? confirm(again, request, current)
    : waiting.then(() => confirm(again, request, current));
}

interface Decided {
  /** The generation of access in which the checks started. */
  decidedAt: number;
  /** The revision in which all checks passed. */
  confirmedAt?: Revision | undefined;
  /** The next end of a temporary rule, by the database's clock: the request can have passed by a rule that ends then. */
  confirmedUntil?: number | undefined;
}

/**
 * Recheck after a wait: a slowly uploaded body must not survive a revocation, and a paused process must not survive its
 * lease. The checks repeat until all of them passed in one generation of memory.
 */
export function confirm<T extends Decided>(
  checks: readonly Check<T>[],
  request: T,
  current: CurrentAccess,
): void | Promise<void> {
  while (request.decidedAt !== current.generation) {
    request.decidedAt = current.generation;
    const waiting = runChecks(checks, request);
    if (waiting !== undefined) return waiting.then(() => confirm(checks, request, current));
  }
  if (current.isLive() !== true) throw new AppError('unavailable');
  request.confirmedAt = current.revision;
  request.confirmedUntil = current.nextEnd;
}

/** Runs the checks in order, starting at index `from`. It stays in the same tick as long as no check waits. */
export function runChecks<T>(checks: readonly Check<T>[], request: T, from = 0): void | Promise<void> {
  for (let index = from; index < checks.length; index += 1) {
    const check = checks[index];
    if (check === undefined) throw fault('A check is missing.');
    const result: unknown = check(request);
    if (result instanceof Promise)
      return result.then((value: unknown) => {
        if (value !== undefined) throw fault('A check returned something.');
        return runChecks(checks, request, index + 1);
      });
    if (result !== undefined) throw fault('A check returned something.');
  }
}

/**
 * Adapter for callbacks: calls `done` once, without an error if the checks passed. It calls in the same tick if no check
 * waits.
 */
export function reportOutcome<T>(
  run: (request: T) => void | Promise<void>,
  request: T,
  done: (error?: Error) => void,
): void {
  let waiting: void | Promise<void>;
  try {
    waiting = run(request);
  } catch (error) {
    done(asError(error));
    return;
  }
  if (waiting === undefined) done();
  else
    waiting.then(
      () => done(),
      (error: unknown) => done(asError(error)),
    );
}

function fault(text: string): AppError {
  return new AppError('internal', { cause: new Error(text) });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new AppError('internal', { cause: error });
}
