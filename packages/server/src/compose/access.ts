// Part of the composition root: the memory of access, which decides requests. It is read from Postgres, kept up to date, and held
// by a lease.
import type { Confirmed, Unchecked } from '@portcullis/contract';
import {
  type AccessSource,
  ClockWrong,
  createAccessMemory,
  createMember,
  createReadChanges,
  createRelay,
  HistoryLost,
} from '@portcullis/gate';
import type { Logger } from 'pino';
import { type ClusterCounts, createClusterCounts } from '../base/ops/cluster-counts.ts';
import { createLogDeduplication } from '../base/ops/log-deduplication.ts';
import { traced } from '../base/ops/trace.ts';
import type { Config } from '../base/settings/config.ts';
import { StartRefusal } from '../base/values/start-refusal.ts';
import { type AccessChange, type AccessWriter, createAccessWriter } from '../cluster/access-writer.ts';
import { createBarrier } from '../cluster/barrier.ts';
import { createBarrierStore } from '../cluster/barrier-store.ts';
import { createNotifier, type MemberStore } from '../cluster/member-store.ts';
import { listRevisionsFrom, readCurrentRevision } from '../cluster/revision-store.ts';
import type { Store } from '../cluster/store/store.ts';
import { listEnabledRoles } from '../people/roles/role-store.ts';
import { listAllRules } from '../permissions/rules/rule-store.ts';
import { listTemporaryRules } from '../permissions/rules/temporary-rule-store.ts';
import { createKeyRing, ensureSigningKey } from '../sign-in/keys/key-ring.ts';
import { listLiveKeys, listRetiredKids } from '../sign-in/keys/key-store.ts';
import { listRaisedEpochs, listRevocationLines } from '../sign-in/sessions/revocation-store.ts';
import { composeHostMemory } from './host-memory.ts';

interface AccessOptions {
  readonly store: Store;
  readonly memberStore: MemberStore;
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => number;
  readonly monotonic: () => number;
}

const noteWaitMilliseconds = 1000;
const maxRenewMilliseconds = 1000;
/** A lease must outlive some failed renewals. */
const renewalsPerLease = 5;

export type AccessParts = Awaited<ReturnType<typeof startAccess>>;

export async function startAccess({ store, memberStore, config, logger, now, monotonic }: AccessOptions) {
  const hostMemory = await composeHostMemory({ store, config, logger });
  const keyRing = { store, sealingKeys: config.sealingKeys, dev: config.devKeys };
  await ensureSigningKey(keyRing);
  const clusterCounts = createClusterCounts({ now, monotonic });
  const source = createAccessSource(memberStore.store, config);
  const repeated = createLogDeduplication(monotonic);
  const memory = createAccessMemory({
    ...config,
    source: { ...source, readAll: traced('load access', source.readAll) },
    createMember: ({ follower, lease, databaseClock }) => {
      const relay = createRelay({
        lease,
        leaseMilliseconds: config.leaseMilliseconds,
        databaseTime: databaseClock.latestByTrueClocks,
        monotonic,
      });
      follower.onStep(relay.follow);
      const member = createMember({
        transport: clusterCounts.watchReports(memberStore.transport),
        follower,
        lease,
        downstream: relay,
        renewMilliseconds: Math.min(maxRenewMilliseconds, config.leaseMilliseconds / renewalsPerLease),
        ...(hostMemory === undefined ? {} : { keep: hostMemory.keep }),
        onDatabaseTime: databaseClock.observe,
        random: Math.random,
        onFailure(err) {
          clusterCounts.countFollowFailure(err);
          const leased = lease.isLive();
          const { name, code, message } = err as { name?: string; code?: string; message?: string };
          const leftOut = repeated.tell([name, code, message, leased].join(' '));
          if (leftOut !== undefined)
            logger.error({ err, leased, leftOut }, 'cannot follow the changes of access');
        },
        onLease(isLive) {
          if (isLive) repeated.forget();
          if (isLive) return logger.info('the lease is back: requests are decided again');
          clusterCounts.countLeaseLoss();
          const reason = clusterCounts.whyNoLease();
          logger.error({ reason }, 'the lease is lost: every request is refused until it is back');
        },
      });
      return { ...member, relay };
    },
    keys: createKeyRing(keyRing),
    now,
    monotonic,
    reportBadRule: (rule, reason) => logger.error({ rule, reason }, 'a stored rule is not in force'),
    reportUnreadable: (revision) =>
      logger.error({ revision }, 'a stored change cannot be read; everything is loaded instead'),
  });
  const { keys, member } = memory;
  const noteWait = setTimeout(() => {
    const reason = clusterCounts.whyNoLease();
    if (reason !== undefined) logger.info({ reason }, 'the start waits');
  }, noteWaitMilliseconds);
  try {
    await member.join();
    await keys.getSigningKey();
  } catch (error) {
    // A row that stays would make the next change wait for one lease.
    await member.leave().catch(() => {});
    const isRefused = error instanceof ClockWrong || error instanceof HistoryLost;
    throw isRefused ? new StartRefusal([error.message]) : error;
  } finally {
    clearTimeout(noteWait);
  }
  const access = createObservedWriter(store, clusterCounts, monotonic);
  return { ...memory, memory, access, clusterCounts };
}

/** Counts the waits of the writer, and traces its revocations. */
function createObservedWriter(store: Store, counts: ClusterCounts, monotonic: () => number): AccessWriter {
  const barrierStore = createBarrierStore(store);
  const barrier = createBarrier({
    store: {
      readView: barrierStore.readView,
      async removeSilent(written) {
        await barrierStore.removeSilent(written);
        counts.countTimeout();
      },
    },
    notifier: createNotifier(store),
    monotonic,
  });
  const writer = createAccessWriter(store, {
    announce: barrier.announce,
    pass: traced('wait for every member', counts.watchWaits(barrier.pass)),
  });
  return {
    give: writer.give,
    takeAway: traced('take access away', (call: Confirmed | Unchecked, change: AccessChange) =>
      writer.takeAway(call, traced('change access', change)),
    ),
  };
}

/** Access as Postgres has it. Everything is read in one transaction, so that all parts show the same moment. */
export function createAccessSource(
  store: Store,
  { devKeys: dev, maxTokenLifetimeSeconds }: Pick<Config, 'devKeys' | 'maxTokenLifetimeSeconds'>,
): AccessSource {
  const readChanges = createReadChanges();
  return {
    async listRevisionsFrom(n) {
      const rows = await listRevisionsFrom(store, n);
      // Moves are for writers alone: no memory and no guard needs to know who was moved.
      return rows.map(({ n, mark, changes }) => ({ n, mark, changes: readChanges(changes) }));
    },
    readAll: async (take) =>
      await store
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (transaction) => {
          const revision = await readCurrentRevision(transaction);
          for await (const rules of listAllRules(transaction)) await take({ kind: 'rules', rules });
          await take({ kind: 'temporary_rules', rules: await listTemporaryRules(transaction) });
          for await (const lines of listRevocationLines(transaction))
            await take({ kind: 'revocations', lines });
          for await (const epochs of listRaisedEpochs(transaction, maxTokenLifetimeSeconds))
            await take({ kind: 'epochs', epochs });
          await take({ kind: 'roles', roles: await listEnabledRoles(transaction) });
          const live = await listLiveKeys(transaction, dev);
          await take({ kind: 'keys', dev, live, retired: await listRetiredKids(transaction, dev) });
          return revision;
        }),
  };
}
