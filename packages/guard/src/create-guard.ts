// The guard of a business service: it decides in the service's own process, by the same memory and the same checks as an
// instance of Portcullis, and is a member of the barrier. Without a lease it refuses.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type Caller,
  type ErrorKind,
  errorAnswer,
  maxTokenLifetimeSeconds as longest,
  negotiateLanguage,
} from '@portcullis/contract';
import {
  ClockWrong,
  canonicalCheck,
  compileSchema,
  createAccessChecks,
  createAccessMemory,
  createDecisionPipeline,
  createGuardMember,
  createPushedSource,
  createVerifyingKeys,
  guardCalls,
  HistoryLost,
  ReceivedRequest,
  runStages,
} from '@portcullis/gate';
import manifest from '../package.json' with { type: 'json' };
import { readFetchRequest } from './fetch-request.ts';
import type { GuardedRequest } from './guarded-request.ts';
import { createHttp, WronglySet } from './http.ts';
import { createOpenConnection } from './open-connection.ts';
import { createReadAll } from './source.ts';

export interface GuardOptions {
  /** Where the decision listener is (`http://127.0.0.1:8002`); of several, any is the first, and the others are tried in turn. */
  readonly url: string | readonly string[];
  /** Portcullis's `decision.secret`. */
  readonly secret: string;
  /** The name of this service in the list of instances. */
  readonly service: string;
  /** Whether Portcullis runs in mode `dev`. Otherwise its tokens are refused. */
  readonly dev?: boolean;
  /** Origins of front ends on another site, whose cookie counts; like Portcullis's `application.origins`. */
  readonly origins?: readonly string[];
  /** For how long the guard goes on by itself when Portcullis is away: 2 to 10 seconds, of which an instance gives 3 at most. */
  readonly leaseSeconds?: number;
  /** For how long the start is tried again where Portcullis does not answer, as while it starts itself: 30 unless set. */
  readonly startSeconds?: number;
  /** Told of what goes wrong. The guard goes on trying. */
  readonly onFailure?: (cause: unknown) => void;
  /** Told that the lease is over, from when on everything is refused, and that it is back. */
  readonly onLease?: (isLive: boolean) => void;
}

/** For the service's own metrics. */
export interface GuardStatus {
  readonly isReady: boolean;
  /** What the guard enforces. */
  readonly revision: number;
  /** For how long it may still decide without hearing from Portcullis. */
  readonly leaseRemainingSeconds: number;
  readonly leaseLosses: number;
  /** Calls that failed at one address of Portcullis and went on to the next. */
  readonly reconnects: number;
}

/** What to do with a request. Refused, `status`, `headers` and `body` are the answer to give. */
export type Decision =
  | { readonly allowed: true; readonly caller: Caller }
  | {
      readonly allowed: false;
      readonly kind: ErrorKind;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

export interface Guard {
  /**
   * Resolves at once for a token that was seen before; anything that goes wrong is a refusal.
   *
   * A `Request` of the Fetch API is decided about by its `url`, as it was parsed: route by nothing else. Where there is a
   * message of Node, give that: it has the target as it was sent.
   */
  decide(request: GuardedRequest | Request): Decision | Promise<Decision>;
  /** Whether it can decide; for the service's own readiness. */
  isReady(): boolean;
  status(): GuardStatus;
  close(): Promise<void>;
}

const leaveMilliseconds = 1000;
/** Between two tries of the start, by chance up to twice that: those who start together do not come again together. */
const retryMilliseconds = 500;

/**
 * Resolves when the guard decides.
 *
 * @example
 * const guard = await createGuard({ url: 'http://127.0.0.1:8002', secret, service: 'orders' });
 * app.use(protect(guard), express.json(), protect(guard)); // protect is from @portcullis/guard/express
 */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const { origins = [], leaseSeconds = 10, startSeconds = 30 } = options;
  if (!(leaseSeconds >= 2 && leaseSeconds <= 10)) throw new Error('`leaseSeconds` lies between 2 and 10.');
  if (!(startSeconds >= 0 && startSeconds <= 3600))
    throw new Error('`startSeconds` lies between 0 and 3600.');
  if (options.url.length === 0) throw new Error('`url` is empty: say where the decision listener is.');
  const wrong = [options.url].flat().find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''));
  if (wrong !== undefined)
    throw new Error(`\`url\` is \`${wrong}\`: write it with its scheme, as \`http://127.0.0.1:8002\`.`);
  if (!compileSchema(guardCalls.register.body.properties.service)(options.service))
    throw new Error('`service` is a name of 1 to 64 characters.');
  const { memory, maxTokenLifetimeSeconds, leave, readStatus } = await join(
    options,
    leaseSeconds * 1000,
    startSeconds * 1000,
  );
  const { current } = memory;
  const checks = createAccessChecks({
    memory,
    maxTokenLifetimeSeconds,
    origins,
    exclusions: [],
    now: Date.now,
  });
  const { asked } = createDecisionPipeline({ ...checks, canonical: canonicalCheck });

  return {
    decide(given) {
      let request: GuardedRequest | undefined;
      try {
        request = 'target' in given ? given : readFetchRequest(given);
        const target = new ReceivedRequest(request.method, request.target, request);
        const waiting = runStages(asked, target, current);
        if (waiting === undefined) return allow(target);
        return waiting.then(() => allow(target)).catch((error: unknown) => refuse(error, request));
      } catch (error) {
        return refuse(error, request);
      }
    },
    isReady: current.isLive,
    status: readStatus,
    close: leave,
  };
}

async function join(
  options: GuardOptions,
  leaseMilliseconds: number,
  startMilliseconds: number,
): Promise<Remembered> {
  const { onFailure = () => {} } = options;
  const giveUpAt = performance.now() + startMilliseconds;
  for (;;) {
    const remembered = remember(options, leaseMilliseconds);
    const { keys, member } = remembered.memory;
    try {
      await member.join();
      if (keys.signingKid === undefined)
        throw new WronglySet(
          'Portcullis has no keys of this mode: `dev` is for its mode `dev`, and only for that.',
        );
      return remembered;
    } catch (error) {
      await remembered.leave();
      const pause = retryMilliseconds * (1 + Math.random());
      const isLasting = [WronglySet, ClockWrong, HistoryLost].some((kind) => error instanceof kind);
      if (isLasting || performance.now() + pause > giveUpAt) throw error;
      onFailure(error);
      await sleep(pause);
    }
  }
}

type Remembered = ReturnType<typeof remember>;

/** The memory of access, read over HTTP. */
function remember(
  { url, secret, service, dev = false, onFailure = () => {}, onLease = () => {} }: GuardOptions,
  leaseMilliseconds: number,
) {
  const http = createHttp({ urls: typeof url === 'string' ? [url] : url, secret });
  const source = createPushedSource(createReadAll(http));
  let leaseLosses = 0;
  const maxTokenLifetimeSeconds = dev ? longest.dev : longest.otherwise;
  const memory = createAccessMemory({
    source,
    createMember: (parts) =>
      createGuardMember({
        ...parts,
        openLine: createOpenConnection(http),
        source,
        // Nobody else learns of it, and it is never used for another memory.
        identity: { id: randomUUID(), service, version: manifest.version },
        onDatabaseTime: parts.databaseClock.observe,
        random: Math.random,
        onFailure,
        onLease(isLive) {
          if (!isLive) leaseLosses += 1;
          onLease(isLive);
        },
      }),
    keys: createVerifyingKeys(dev),
    maxTokenLifetimeSeconds,
    leaseMilliseconds,
    now: Date.now,
    monotonic: () => performance.now(),
    reportBadRule: ({ roleKey, method, path }, reason) =>
      onFailure(new Error(`The rule ${roleKey} ${method} ${path} is not in force: ${reason}`)),
    reportUnreadable: (revision) =>
      onFailure(new Error(`Revision ${revision} cannot be read; everything is loaded instead.`)),
  });
  const { current, lease, follower } = memory;
  const readStatus = (): GuardStatus => ({
    isReady: current.isLive(),
    revision: follower.revision.n,
    leaseRemainingSeconds: lease.remainingMilliseconds() / 1000,
    leaseLosses,
    reconnects: http.reconnects,
  });
  async function goAway(): Promise<void> {
    // A lease that is not given back makes the next change wait for its end, and no longer: a service that ends need not.
    const giveUp = setTimeout(http.close, leaveMilliseconds);
    await memory.member.leave().catch(onFailure);
    clearTimeout(giveUp);
    http.close();
  }
  let gone: Promise<void> | undefined;
  function leave(): Promise<void> {
    gone ??= goAway();
    return gone;
  }
  return { memory, maxTokenLifetimeSeconds, leave, readStatus };
}

function allow({ caller }: ReceivedRequest): Decision {
  if (caller === undefined) throw new AppError('token_missing');
  return { allowed: true, caller };
}

function refuse(error: unknown, request: GuardedRequest | undefined): Decision {
  const known = error instanceof AppError ? error : new AppError('internal', { cause: error });
  const answer = errorAnswer(known, negotiateLanguage(request?.headers['accept-language']));
  return {
    allowed: false,
    kind: known.kind,
    ...answer,
    headers: { ...answer.headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  };
}
