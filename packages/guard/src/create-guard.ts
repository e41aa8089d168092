// Creates the guard of a business service. A guard decides about requests in the service's process, with the same access
// memory and the same checks as an instance of Portcullis. The barrier waits for guards, and a guard without a lease
// rejects every request.
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
  HistoryLost,
  ReceivedRequest,
  runStages,
  ServiceName,
} from '@portcullis/gate';
import manifest from '../package.json' with { type: 'json' };
import { readFetchRequest } from './fetch-request.ts';
import type { GuardedRequest } from './guarded-request.ts';
import { createHttp, Misconfigured } from './http.ts';
import { createOpenConnection } from './open-connection.ts';
import { createReadAll } from './source.ts';

export interface GuardOptions {
  /**
   * The address of the decision listener (`http://127.0.0.1:8002`). Of several addresses, the guard starts with a random
   * one and tries the others in order.
   */
  readonly url: string | readonly string[];
  /** The `decision.secret` of Portcullis. */
  readonly secret: string;
  /** The name of this service in the list of instances. */
  readonly service: string;
  /** Whether Portcullis runs in mode `dev`. Without it, the guard refuses tokens of that mode. */
  readonly dev?: boolean;
  /**
   * Origins of front ends on another site that are allowed to send the cookie, like `application.allowedOrigins` of
   * Portcullis.
   */
  readonly origins?: readonly string[];
  /** How long the guard still decides while Portcullis is unavailable: 2 to 10 seconds. An instance grants at most 3. */
  readonly leaseSeconds?: number;
  /** How long `createGuard` retries while Portcullis does not answer, for example during its start. The default is 30. */
  readonly startSeconds?: number;
  /** Called with every failure. The guard retries. */
  readonly onFailure?: (cause: unknown) => void;
  /** Called when the lease ends, after which the guard rejects every request, and when it is live again. */
  readonly onLease?: (isLive: boolean) => void;
}

/** The state of the guard, for the metrics of the service. */
export interface GuardStatus {
  readonly isReady: boolean;
  /** The revision that the guard enforces. */
  readonly revision: number;
  /** How long the guard can still decide without an answer from Portcullis. */
  readonly leaseRemainingSeconds: number;
  readonly leaseLosses: number;
  /** The number of calls that failed at one address of Portcullis and continued with the next. */
  readonly reconnects: number;
}

/** The decision about a request. For a refused request, answer with `status`, `headers` and `body`. */
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
   * Decides about a request. Returns without a promise if the token is in the cache. Every error is a refusal.
   *
   * For a `Request` of the Fetch API, the decision uses its parsed `url`, so routing must use the same `url`. Pass the
   * message of Node if there is one: it holds the target as it was sent.
   */
  decide(request: GuardedRequest | Request): Decision | Promise<Decision>;
  /** Whether the guard can decide; for the readiness check of the service. */
  isReady(): boolean;
  status(): GuardStatus;
  close(): Promise<void>;
}

const closeMilliseconds = 1000;
/** The retry interval of the start, with jitter up to twice as long: guards that start together do not retry together. */
const retryMilliseconds = 500;

/**
 * Creates a guard. Resolves when the guard can decide.
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
  if (!compileSchema(ServiceName)(options.service))
    throw new Error('`service` is a name of 1 to 64 characters.');
  const { memory, maxTokenLifetimeSeconds, close, readStatus } = await join(
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
    close,
  };
}

async function join(
  options: GuardOptions,
  leaseMilliseconds: number,
  startMilliseconds: number,
): Promise<Joining> {
  const { onFailure = () => {} } = options;
  const giveUpAt = performance.now() + startMilliseconds;
  for (;;) {
    const joining = createMemory(options, leaseMilliseconds);
    const { keys, member } = joining.memory;
    try {
      await member.join();
      if (keys.signingKid === undefined)
        throw new Misconfigured(
          'Portcullis has no keys of this mode: `dev` is for its mode `dev`, and only for that.',
        );
      return joining;
    } catch (error) {
      await joining.close();
      const pause = retryMilliseconds * (1 + Math.random());
      const isLasting = [Misconfigured, ClockWrong, HistoryLost].some((kind) => error instanceof kind);
      if (isLasting || performance.now() + pause > giveUpAt) throw error;
      onFailure(error);
      await sleep(pause);
    }
  }
}

type Joining = ReturnType<typeof createMemory>;

/** The access memory of a guard. It reads access from the decision listener. */
function createMemory(
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
        openConnection: createOpenConnection(http),
        source,
        // The id is secret, and each memory has a new one.
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
  async function leave(): Promise<void> {
    // Wait for a limited time only: if the lease is not released, the next change just waits until the lease ends.
    const giveUp = setTimeout(http.close, closeMilliseconds);
    await memory.member.leave().catch(onFailure);
    clearTimeout(giveUp);
    http.close();
  }
  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= leave();
    return closing;
  }
  return { memory, maxTokenLifetimeSeconds, close, readStatus };
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
