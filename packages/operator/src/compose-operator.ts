// Part of the composition root: the operator at the command line goes through the very handlers that serve the
// endpoints, so that guard rails, records and the barrier are the same for both.
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import {
  type Answer,
  AppError,
  type Call,
  type Caller,
  type Endpoint,
  explainEndpoint,
  planMappingsEndpoint,
  type StreamEndpoint,
} from '@portcullis/contract';
import { type CurrentRules, createAjv, createCurrentRules, createLease } from '@portcullis/gate';
import type { Config } from '@portcullis/server/base/settings/config.ts';
import { createAccessWriter } from '@portcullis/server/cluster/access-writer.ts';
import { revisionHeader } from '@portcullis/server/cluster/answer-write.ts';
import { type Barrier, createBarrier } from '@portcullis/server/cluster/barrier.ts';
import { createBarrierStore } from '@portcullis/server/cluster/barrier-store.ts';
import { createNotifier } from '@portcullis/server/cluster/member-store.ts';
import { readDatabaseTime } from '@portcullis/server/cluster/revision-store.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { composeLogin } from '@portcullis/server/compose/login.ts';
import { composeRoutes } from '@portcullis/server/compose/routes.ts';
import type { AuditedCall } from '@portcullis/server/logs/audit/record-change.ts';
import { noLoginLog } from '@portcullis/server/logs/login-log/login-log.ts';
import { listAllRules } from '@portcullis/server/permissions/rules/rule-store.ts';
import { listTemporaryRules } from '@portcullis/server/permissions/rules/temporary-rule-store.ts';
import { createKeyRing } from '@portcullis/server/sign-in/keys/key-ring.ts';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';

type Given<E extends Endpoint> = {
  readonly [Part in 'params' | 'query' | 'body' as E[Part] extends TSchema ? Part : never]: Call<E>[Part];
} & (E extends StreamEndpoint ? { readonly signal: AbortSignal } : unknown);

export interface Operator {
  /**
   * Calls the handler of an endpoint with everything that a request would be checked for but the token. Throws an
   * `AppError` where a request would be refused.
   *
   * @example const { data } = await operator.call(createUserEndpoint, { body: { username, name, departmentId, roleId } });
   */
  call<E extends Endpoint>(endpoint: E, given: Given<E>): Promise<Answer<E>>;
  /** The revision of the last write, which every instance enforces where something was taken away. */
  readonly revision: number | undefined;
  /** Whether every instance enforces the last write already. */
  readonly isEnforced: boolean;
  /** Who the audit log names. */
  readonly caller: Caller;
  close(): Promise<void>;
}

/** What needs all rules: which answer they give, or which of two roles may do more. The caller is always `admin`. */
const readsRules: readonly string[] = [explainEndpoint.path, planMappingsEndpoint.path];
const now = Date.now;
const monotonic = () => performance.now();

/** What is shown while a stored change waits for the instances. */
export type WatchWait = (waiting: Promise<void>) => Promise<void>;

export async function composeOperator(
  store: Store,
  config: Config,
  watchWait: WatchWait = (waiting) => waiting,
  onErased: (records: number) => void = () => {},
): Promise<Operator> {
  const login = composeLogin(store, config, undefined);
  let enforced = -1;
  const barrier = composeBarrier(store, watchWait, (n) => {
    enforced = n;
  });
  const { rules, load: loadRules } = createLazyRules(store);
  const routes = composeRoutes({
    config,
    store,
    login,
    loginLog: noLoginLog,
    keys: createKeyRing({ store, sealingKeys: config.sealingKeys, dev: config.devKeys }),
    rules,
    // Nobody logs in here: without a lease no token is made.
    lease: createLease(config.leaseMilliseconds, () => ({ monotonic: monotonic(), wall: now() })),
    access: createAccessWriter(store, barrier),
    onErased,
    now,
  });
  const { caller } = createOperatorCall();
  const check = createInputCheck();
  let revision: number | undefined;

  return {
    caller,
    get revision() {
      return revision;
    },
    get isEnforced() {
      return revision !== undefined && enforced >= revision;
    },
    async call(endpoint, given) {
      const served = routes.find((route) => route.endpoint === endpoint);
      if (served === undefined) throw new AppError('route_not_found');
      for (const part of ['params', 'query', 'body'] as const)
        check(endpoint[part], (given as Record<string, unknown>)[part]);
      const call = {
        ...given,
        ...createOperatorCall(),
        language: 'en' as const,
        userAgent: undefined,
        setHeader(name: string, value: string) {
          if (name === revisionHeader) revision = Number(value);
        },
      };
      if (readsRules.includes(endpoint.path)) await loadRules();
      return (await served.handle(call)) as Answer<typeof endpoint>;
    },
    close: login.close,
  };
}

/** The barrier of a process that is no instance. */
export function composeBarrier(
  store: Store,
  watchWait: WatchWait,
  onPassed: (revision: number) => void = () => {},
): Barrier {
  const barrier = createBarrier({
    store: createBarrierStore(store),
    notifier: createNotifier(store),
    monotonic,
  });
  return {
    announce: barrier.announce,
    async pass(written) {
      await watchWait(barrier.pass(written));
      onPassed(written.n);
    },
  };
}

/** As the endpoint's own validation, but that it says what is wrong: the operator typed it. */
function createInputCheck() {
  const ajv = addFormats.default(createAjv());
  return (schema: TSchema | undefined, value: unknown): void => {
    if (schema === undefined || ajv.validate(schema, value)) return;
    const [{ instancePath = '', message = 'is not valid' } = {}] = ajv.errors ?? [];
    const field = instancePath.slice(1) || 'The request';
    throw new AppError('params_invalid', { cause: new Error(`${field} ${message}.`) });
  };
}

/** Who has the database and the master key may do everything; the audit log names the account of the host. */
export function createOperatorCall(): AuditedCall {
  const caller: Caller = {
    userId: 0,
    username: `command line: ${accountName()}`.slice(0, 64),
    roleId: 0,
    roleKey: 'admin',
    dataScope: '1',
    jti: '',
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  return { caller, confirmedAt: 'unchecked', requestId: randomUUID(), ip: '127.0.0.1' };
}

/** A container may run as a number that no account has. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** There may be a million of them, and most commands need none. Whoever asks too early must not find none. */
function createLazyRules(store: Store): { rules: CurrentRules; load: () => Promise<void> } {
  let databaseTime = Number.POSITIVE_INFINITY;
  const current = createCurrentRules(
    () => {},
    () => databaseTime,
  );
  let isLoaded = false;
  return {
    rules: {
      load: current.load,
      apply: current.apply,
      pieces: current.pieces,
      get snapshot() {
        if (!isLoaded) throw new Error('The rules are not loaded.');
        return current.snapshot;
      },
      get lasting() {
        if (!isLoaded) throw new Error('The rules are not loaded.');
        return current.lasting;
      },
      get nextEnd() {
        return current.nextEnd;
      },
      get ends() {
        return current.ends;
      },
    },
    async load() {
      if (isLoaded) return;
      const loading = current.load();
      for await (const page of listAllRules(store)) loading.take({ kind: 'rules', rules: page });
      loading.take({ kind: 'temporary_rules', rules: await listTemporaryRules(store) });
      databaseTime = await readDatabaseTime(store);
      loading.finish(0)();
      isLoaded = true;
    },
  };
}
