// Part of the composition root: a command calls the same handlers that serve the endpoints, so that checks, audit
// records and the barrier apply to the command line too.
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
   * Calls the handler of an endpoint after the same validation as a request, except for the check of the token. Throws an
   * `AppError` if a request would be refused.
   *
   * @example const { data } = await operator.call(createUserEndpoint, { body: { username, name, departmentId, roleId } });
   */
  call<E extends Endpoint>(endpoint: E, given: Given<E>): Promise<Answer<E>>;
  /** The revision of the last write. If the write revoked something, every instance enforces this revision. */
  readonly revision: number | undefined;
  /** Whether every instance already enforces the last write. */
  readonly isEnforced: boolean;
  /** The caller in the audit record. */
  readonly caller: Caller;
  close(): Promise<void>;
}

/**
 * Endpoints that need all rules: to explain a decision, or to compare the permissions of two roles. The
 * caller is always `admin`.
 */
const readsRules: readonly string[] = [explainEndpoint.path, planMappingsEndpoint.path];
const now = Date.now;
const monotonic = () => performance.now();

/** Shows progress while a stored change waits for the instances. */
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
  const { routes } = composeRoutes({
    config,
    store,
    login,
    loginLog: noLoginLog,
    keys: createKeyRing({ store, sealingKeys: config.sealingKeys, dev: config.devKeys }),
    rules,
    // No lease: no person logs in through this process, and without a lease it issues no token.
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

/** The barrier for a process that is not an instance. */
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

/**
 * The same validation as in an endpoint, but the error names the invalid field, because the operator typed the value.
 */
function createInputCheck() {
  const ajv = addFormats.default(createAjv({ verbose: true }));
  return (schema: TSchema | undefined, value: unknown): void => {
    if (schema === undefined || ajv.validate(schema, value)) return;
    throw new AppError('params_invalid', { cause: new Error(describeInvalid(ajv.errors?.[0])) });
  };
}

interface InvalidInput {
  /** Like `/username`. */
  readonly instancePath?: string;
  readonly keyword?: string;
  readonly message?: string | undefined;
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** Most operators cannot read a pattern, so the description of its schema replaces it. */
function describeInvalid({ instancePath = '', keyword, message, parentSchema }: InvalidInput = {}): string {
  const field = instancePath.slice(1);
  if (keyword !== 'pattern') return `${field || 'The request'} ${message ?? 'is not valid'}.`;
  const form = parentSchema?.description ?? 'It has characters that are not allowed there, or too many.';
  return `The ${wordsOf(field)} is not accepted. ${form}`;
}

/** @example wordsOf('roleKey') // role key */
function wordsOf(field: string): string {
  return field.replace(/\/\d+/g, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/**
 * The caller of a command. Access to the database and the master key implies every permission; the audit log names the
 * operating system account.
 */
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

/** A container can run under a numeric user id without an account. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/**
 * Loads the rules only when a command needs them: there can be a million, and most commands need none. Reading them
 * before they are loaded throws, so that no command works on an empty set.
 */
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
      snapshotRecords: current.snapshotRecords,
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
