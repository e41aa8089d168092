// Many members of one cluster in a process of their own, each with the product's own code and a separate connection;
// what they hold in memory is next to nothing. Ends with SIGTERM, without a word to the database.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFollower, createLease, createMember, type Replica } from '@portcullis/gate';
import { openMemberStore } from '../../../packages/server/src/cluster/member-store.ts';
import { createAccessSource } from '../../../packages/server/src/compose/access.ts';

const { MEMBERS_URL: url = '', MEMBERS_COUNT = '1', MEMBERS_LEASE_MILLISECONDS = '10000' } = process.env;
const leaseMilliseconds = Number(MEMBERS_LEASE_MILLISECONDS);
const joiningAtOnce = 10;
const patienceMilliseconds = 300_000;
const tellEveryMilliseconds = 1000;
let failures = 0;
const leases: { isLive(): boolean }[] = [];

/** One that cannot connect within its two seconds, as on a machine that stands still, tries again. */
async function joinOne(): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMilliseconds; ; await sleep(100))
    try {
      return await joinOnce();
    } catch (cause) {
      if (performance.now() > giveUpAt) throw cause;
      onFailure(cause);
    }
}

async function joinOnce(): Promise<void> {
  let revision = -1;
  const replica: Replica = {
    load: () => ({
      take() {},
      finish: (loaded) => () => {
        revision = loaded;
      },
    }),
    apply: (_changes, applied) => {
      revision = Math.max(revision, applied);
    },
  };
  const registration = { id: randomUUID(), version: 'simulated', mode: 'prod', leaseMilliseconds };
  const onConnectionLost = (cause: Error) => onFailure(cause);
  const { store, transport } = openMemberStore({ url, registration, onConnectionLost });
  const follower = createFollower(
    createAccessSource(store, { devKeys: false, maxTokenLifetimeSeconds: 86_400 }),
    [replica],
    () => {},
  );
  const lease = createLease(leaseMilliseconds, () => ({ monotonic: performance.now(), wall: Date.now() }));
  const member = createMember({
    transport,
    follower,
    lease,
    renewMilliseconds: 1000,
    random: Math.random,
    onFailure,
  });
  try {
    await member.join();
  } catch (cause) {
    await store.destroy();
    throw cause;
  }
  leases.push(lease);
}

function onFailure(cause: unknown): void {
  failures += 1;
  if (failures <= 10) process.stderr.write(`${String(cause)}\n`);
}

async function joinTurn(numbers: IterableIterator<number>): Promise<void> {
  for (const _ of numbers) await joinOne();
}

const numbers = Array.from({ length: Number(MEMBERS_COUNT) }).keys();
await Promise.all(Array.from({ length: joiningAtOnce }, () => joinTurn(numbers)));
process.stdout.write('all members have joined\n');
setInterval(() => {
  const live = leases.filter((lease) => lease.isLive()).length;
  process.stdout.write(`${JSON.stringify({ failures, live })}\n`);
}, tellEveryMilliseconds);
process.once('SIGTERM', () => process.exit(0));
