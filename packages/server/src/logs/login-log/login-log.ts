// The login log: writes each attempt to a spool on the disk of this host before the attempt is answered, and to the database soon
// after. What a process leaves in its spool, the next process stores.
import { rm } from 'node:fs/promises';
import { AppError, type LoginAttempt } from '@portcullis/contract';
import { runEach } from '../../base/jobs/run-each.ts';
import { createLogDeduplication } from '../../base/ops/log-deduplication.ts';
import { createUuidV7Source } from '../../cluster/store/uuid-v7.ts';
import { createChain } from './chain.ts';
import { createDrain, type Drain } from './drain.ts';
import { createDrainRate, type DrainRate } from './drain-rate.ts';
import type { Heads } from './heads.ts';
import { type BatchStore, insertBatch } from './insert-batch.ts';
import type { LoginLogStatus } from './login-log-status.ts';
import { type ClientFacts, createLoginRecord, type LoginRecord } from './login-record.ts';
import { type LoginRow, rowOf } from './login-row.ts';
import type { Pseudonymize } from './pseudonym.ts';
import { createOwnedFolder, listFolders, takeOver } from './spool/owner.ts';
import { openSpool, SpoolFull } from './spool/spool.ts';
import { openLeftBehind, type SpoolReader } from './spool/spool-reader.ts';
import { createWriteWithoutSpool } from './write-without-spool.ts';

export interface LoginLog {
  /** Resolves when the attempt is durable; rejects with `unavailable` when it cannot be stored anywhere. */
  record(attempt: LoginAttempt): Promise<void>;
  /** Takes the duration of a login that has ended, so that draining a backlog slows down beside logins. */
  noteLogin(milliseconds: number): void;
  /** Stores what ended instances of this host left in their spools, and signs the heads. Call it at the start and every minute. */
  maintain(signal: AbortSignal): Promise<void>;
  status(): LoginLogStatus;
  /** Stores what it can; the next start stores the rest. */
  close(): Promise<void>;
}

export interface BacklogLeft {
  readonly megabytes: number;
  /** At the speed so far, beside logins. */
  readonly seconds: number;
}

export interface LoginLogOptions {
  /** The folder with the spools of all instances on this host that write to the same database. */
  readonly root: string;
  readonly maxBytes: number;
  readonly store: BatchStore;
  readonly heads: Heads;
  /** When the last erasure was finished; with another value the spool can hold records of an erased person. */
  readonly findLastErasure?: () => Promise<string | undefined>;
  readonly chainKey: Buffer;
  readonly instance: string;
  readonly describeClient: (attempt: LoginAttempt) => ClientFacts;
  readonly hideName: Pseudonymize;
  readonly onFailedAttempt: (record: LoginRecord) => void;
  readonly onFailure: (cause: unknown, what: string) => void;
  /** Called from time to time while there is a backlog. */
  readonly onBacklog: (left: BacklogLeft) => void;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly randomBytes: (size: number) => Buffer;
  readonly randomUuid: () => string;
}

/** Collects attempts, so that a flood does not cost one statement per attempt. */
const gatherMilliseconds = 20;
/** How long `close` waits for the spool to be stored; the rest is safe on disk. */
const closeMilliseconds = 5000;
/** How often a backlog is reported. */
const backlogSeconds = 60;
const firstBacklogMilliseconds = 5000;

/** Spec, Events: with `logger.enableddb` off nothing is recorded. */
export const noLoginLog: LoginLog = {
  record: async () => {},
  noteLogin: () => {},
  maintain: async () => {},
  status: () => ({
    lagMilliseconds: 0,
    spoolBytes: 0,
    bypassed: 0,
    unrecorded: { success: 0, failure: 0 },
    deadLetters: 0,
  }),
  close: async () => {},
};

export async function openLoginLog(options: LoginLogOptions): Promise<LoginLog> {
  const { root, heads, instance, now, monotonic, onFailure } = options;
  const nextId = createUuidV7Source(options.randomBytes);
  const unrecorded = { success: 0, failure: 0 };
  let deadLetters = 0;
  let bypassed = 0;
  const batches: BatchStore = {
    insert: options.store.insert,
    async insertRejected(text, cause) {
      await options.store.insertRejected(text, cause);
      deadLetters += 1;
      onFailure(new Error(cause), 'a login record was put aside');
    },
  };
  const insert = async (texts: readonly string[]) => {
    await insertBatch(batches, texts);
    heads.note(texts);
  };

  const spooled = createEncoder(options);
  const own = await createOwnedFolder(root);
  const spool = await openSpool<LoginRow>({
    folder: own.folder,
    maxBytes: options.maxBytes,
    encode: spooled.encode,
    onBroken(cause) {
      spooled.begin();
      onFailure(cause, 'the spool of the login log failed');
    },
    onAppended: () => drainSoon(),
    monotonic,
  });
  const inserted = createEncoder(options);
  const direct = createWriteWithoutSpool({ encode: inserted.encode, insert, onBroken: inserted.begin });

  const fullSpool = createLogDeduplication(monotonic);
  /** A spool that fails has been reported; one without room would stay unnoticed while the database answers. */
  function noteBypass(cause: unknown): void {
    bypassed += 1;
    if (cause instanceof SpoolFull && fullSpool.tell('full') !== undefined)
      onFailure(cause, 'the spool of the login log has no room; login attempts go straight to Postgres');
  }

  const stopping = new AbortController();
  const drainOptions = {
    insert,
    onFailure: (cause: unknown) => onFailure(cause, 'cannot write the login log; it stays in the spool'),
  };
  const drain = createDrain(spool, drainOptions);
  const drains = new Set<Drain>([drain]);
  const paces = new Set<DrainRate>();
  let draining: Promise<void> | undefined;
  let isMore = false;

  function drainSoon(): void {
    isMore = true;
    if (draining !== undefined || stopping.signal.aborted) return;
    draining = gatherThenDrain().then(() => {
      draining = undefined;
      if (isMore) drainSoon();
    });
  }

  async function gatherThenDrain(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, gatherMilliseconds));
    isMore = false;
    await drain.run(stopping.signal).catch(() => {});
  }

  /** Reports soon for the first time: an operator who restarts a service after an outage wants to know. */
  function tellBacklog(reader: Pick<SpoolReader, 'waitingBytes'>): NodeJS.Timeout {
    const [beganAt, bytes] = [monotonic(), reader.waitingBytes];
    let told = 0;
    return setInterval(() => {
      const seconds = (monotonic() - beganAt) / 1000;
      const left = reader.waitingBytes;
      if (seconds < told * backlogSeconds || left === bytes) return;
      told += 1;
      options.onBacklog({
        megabytes: Math.ceil(left / 1024 / 1024),
        seconds: Math.ceil((left * seconds) / (bytes - left)),
      });
    }, firstBacklogMilliseconds).unref();
  }

  async function drainLeftBehind(folder: string, signal: AbortSignal): Promise<void> {
    const owned = await takeOver(folder);
    if (owned === undefined) return;
    try {
      const reader = await openLeftBehind(folder);
      const pace = createDrainRate(monotonic);
      const rest = createDrain(reader, { ...drainOptions, pace });
      const telling = tellBacklog(reader);
      drains.add(rest);
      paces.add(pace);
      await rest.run(signal).finally(() => {
        clearInterval(telling);
        drains.delete(rest);
        paces.delete(pace);
        return reader.close();
      });
      await heads.write();
      // Another process may try to take the folder too.
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    } finally {
      await owned.release();
    }
  }

  let lastErasure: string | undefined;
  let isSpoolRenewed = true;
  async function renewSpool(): Promise<void> {
    const newest = await options.findLastErasure?.();
    if (newest !== lastErasure) isSpoolRenewed = false;
    lastErasure = newest;
    if (!isSpoolRenewed) isSpoolRenewed = await spool.renew();
  }

  return {
    async record(attempt) {
      const at = now();
      const stamp = { id: nextId(at), at: new Date(at), instance };
      const record = createLoginRecord(attempt, stamp, options.describeClient(attempt), options.hideName);
      const row = rowOf(record);
      if (record.outcome === 'failure') options.onFailedAttempt(record);
      try {
        await spool.append(row, record.outcome === 'success').catch((cause: unknown) => {
          noteBypass(cause);
          return direct(row);
        });
      } catch (cause) {
        unrecorded[record.outcome] += 1;
        throw new AppError('unavailable', { cause });
      }
    },
    noteLogin(milliseconds) {
      for (const pace of paces) pace.noteLogin(milliseconds);
    },
    async maintain(signal) {
      await renewSpool();
      const others = (await listFolders(root)).filter((folder) => folder !== own.folder);
      const drainOther = (folder: string) => drainLeftBehind(folder, signal);
      await runEach(others, drainOther, 'Spools of ended instances were not stored.', signal).finally(
        heads.write,
      );
    },
    status() {
      const times = [...drains].map(({ oldest }) => (oldest === undefined ? now() : timeOf(oldest)));
      const lagMilliseconds = Math.max(0, now() - Math.min(...times));
      return { lagMilliseconds, spoolBytes: spool.waitingBytes, bypassed, unrecorded, deadLetters };
    },
    async close() {
      stopping.abort();
      await draining;
      await drain
        .run(AbortSignal.timeout(closeMilliseconds), 1)
        .then(() => heads.write())
        .catch(() => {});
      await spool.close();
      await own.release();
      // What arrived or failed meanwhile is for the next start.
      if (spool.waitingBytes === 0)
        await rm(own.folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    },
  };
}

/** Encodes rows as the next records of a chain. A new chain begins when it is unknown whether the last records were stored. */
function createEncoder({ chainKey, randomUuid }: Pick<LoginLogOptions, 'chainKey' | 'randomUuid'>) {
  let chain = createChain(chainKey, randomUuid());
  let lastId = '';
  function begin(): void {
    chain = createChain(chainKey, randomUuid());
  }
  return {
    encode(row: LoginRow): string {
      // Ids grow within a chain; a record that the spool returned late can be older than the last one.
      if (row.id < lastId) begin();
      lastId = row.id;
      return JSON.stringify(chain.add(row));
    },
    begin,
  };
}

function timeOf(text: string): number {
  return Date.parse((JSON.parse(text) as LoginRow).at);
}
