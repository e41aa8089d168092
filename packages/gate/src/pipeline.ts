// The order of the checks, and how they are run: in the service for its own requests and for those that others ask about,
// and in a guard. Neither check can be skipped, and this is the only place that knows the order (Spec, What the service
// does). A check that throws, rejects or returns anything but nothing refuses the request.
import { type Access, AppError } from '@portcullis/contract';
import type { CurrentAccess } from './access/current-access.ts';
import type { Revision } from './access/follower.ts';
import type { CsrfCheckedRequest } from './checks/csrf-check.ts';
import type { Identifiable } from './checks/identity-check.ts';
import type { Permissible } from './checks/permission-check.ts';
import type { ReceivedRequest } from './request/received-request.ts';

/** What the checks read of a request: one to this service, or one that another service received. */
export type AnyRequest = Identifiable & CsrfCheckedRequest & Permissible;

export type Check<T = AnyRequest> = (request: T) => void | Promise<void>;

/** The checks of a row below, and those of them that are taken again where access changed meanwhile. */
export interface Stages<T = AnyRequest> {
  readonly first: readonly Check<T>[];
  readonly again: readonly Check<T>[];
}

export interface Checks<T = AnyRequest> {
  /** Whether this process may decide at all: without a lease it cannot know. */
  readonly leased: Check<T>;
  readonly identify: Check<T>;
  /** Whether a token that the browser sent by itself was meant. */
  readonly site: Check<T>;
  /** Whether the password may stay as it is. It is a claim of the token, so it is asked once. */
  readonly passwordDue: Check<T>;
  readonly permit: Check<T>;
}

type WithAddress<T> = T & { readonly ip: string };

export interface OwnChecks<T = AnyRequest> extends Omit<Checks<T>, 'identify'> {
  /** How often who is not known may ask. */
  readonly limit: Check<WithAddress<T>>;
  /** Who calls. A token that must still be verified is paid for by its network, and only where it is none. */
  readonly identify: Check<WithAddress<T>>;
  /** How often who is known may ask: after identity, so that nobody spends it but the person. */
  readonly limitCaller: Check<T>;
}

/** Of requests to this service, by the access that their endpoint declares. */
// biome-ignore format: One column a check.
export function createPipeline<T extends AnyRequest>({ limit, leased, identify, limitCaller, site, passwordDue, permit }: OwnChecks<T>): Record<Access, Stages<WithAddress<T>>> {
  return {
    //                    1. limit  2. leased  3. who    4. limit of who  5. from where  6. password due  7. may    again, where access changed before the handler
    public:     { first: [limit                                                                                 ], again: [                         ] },
    identity:   { first: [          leased,    identify, limitCaller,     site,          passwordDue            ], again: [leased, identify         ] },
    permission: { first: [          leased,    identify, limitCaller,     site,          passwordDue,     permit], again: [leased, identify, permit ] },
  };
}

export interface DecisionChecks extends Checks<ReceivedRequest> {
  /** Whether the request can be read in one way only. */
  readonly canonical: Check<ReceivedRequest>;
}

/** Of requests that others received: with their token, or of a user or role that is named. */
// biome-ignore format: One column a check.
export function createDecisionPipeline({ leased, canonical, identify, site, passwordDue, permit }: DecisionChecks): Record<'asked' | 'named', Stages<ReceivedRequest>> {
  return {
    //               1. leased  2. which    3. who    4. from where  5. password due  6. may    again, where access changed meanwhile
    asked: { first: [leased,    canonical,  identify, site,          passwordDue,     permit], again: [leased, identify, permit ] },
    named: { first: [leased,    canonical,                           passwordDue,     permit], again: [leased,           permit ] },
  };
}

/** All of a decision: the first checks, then `confirm`. Returns without a promise where no check waits. */
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
  /** The generation of access under which the checks were begun. */
  decidedAt: number;
  /** The revision under which all of them let it pass. */
  confirmedAt?: Revision | undefined;
  /** By the database's clock: the end of a rule may have been what let it pass. */
  confirmedUntil?: number | undefined;
}

/**
 * After whatever was waited for: a body that trickles in must not outlive a revocation, nor a paused process its lease.
 * Decided again until one state of memory has answered all checks.
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

/** Runs the checks one after the other, from one of them on. Stays in the same tick as long as no check waits. */
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

/** For who takes a callback: calls it once, without an error where the checks passed, and in the same tick where none waits. */
export function tellOutcome<T>(
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
