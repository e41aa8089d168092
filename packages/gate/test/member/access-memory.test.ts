// The memory and its checks as an instance and a guard compose them, over a source and a transport that the test holds.
import { expect, it } from 'vitest';
import type { PublicJwk } from '../../src/access/change.ts';
import type { SnapshotRecord } from '../../src/access/snapshot-record.ts';
import { createAccessMemory } from '../../src/member/access-memory.ts';
import { createMember, type MemberTransport, type ReportResult } from '../../src/member/member.ts';
import { createVerifyingKeys } from '../../src/token/verifying-keys.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from '../test-keys.ts';
import { decideBy } from './decide-by.ts';

const { publicKey, token } = createTestKeys();
const leaseMilliseconds = 10_000;
const maxTokenLifetimeSeconds = 86_400;
const publicJwk = publicKey.export({ format: 'jwk' }) as PublicJwk;
const pieces: SnapshotRecord[] = [
  { kind: 'keys', dev: false, live: [{ kid: 'k1', publicJwk, signing: true }], retired: [] },
  { kind: 'roles', roles: [{ id: 2, roleKey: 'editor', dataScope: '3' }] },
  { kind: 'rules', rules: [{ roleKey: 'editor', method: 'GET', path: '/orders/:id' }] },
  {
    kind: 'temporary_rules',
    rules: [{ roleKey: 'editor', method: 'GET', path: '/reports', endsAt: nowSeconds * 1000 + 5000 }],
  },
];

async function join(failing = false) {
  const clock = { now: nowSeconds * 1000 };
  const now = () => clock.now;
  let isRegistered = false;
  const found = (): ReportResult => ({
    n: 1,
    mark: 'm',
    at: now(),
    incarnation: 'i',
    membershipComplete: true,
    leaseMilliseconds,
    instances: 1,
  });
  const transport: MemberTransport = {
    async register() {
      isRegistered = true;
    },
    report: async () => (isRegistered ? found() : undefined),
    markMembershipComplete: async () => {},
    latch: async () => {},
    async deregister() {
      isRegistered = false;
    },
    onNotification() {},
  };
  const memory = createAccessMemory({
    source: {
      listRevisionsFrom: async () => [],
      async readAll(take) {
        for (const piece of pieces) await take(piece);
        if (failing) throw new Error('cut off');
        return { n: 1, mark: 'm' };
      },
    },
    createMember: (parts) =>
      createMember({
        ...parts,
        transport,
        onDatabaseTime: parts.databaseClock.observe,
        renewMilliseconds: 1000,
        random: () => 0,
        onFailure() {},
      }),
    keys: createVerifyingKeys(false),
    maxTokenLifetimeSeconds,
    leaseMilliseconds,
    now,
    monotonic: now,
    reportBadRule() {},
    reportUnreadable() {},
  });
  const joined = await memory.member.join().then(
    () => true,
    () => false,
  );
  const decide = (path: string) =>
    decideBy({ memory, maxTokenLifetimeSeconds, now, token: token(goodHeader, goodClaims), path });
  return { clock, joined, decide, memory, isRegistered: () => isRegistered };
}

it('decides nothing where the load is cut off, whatever it has taken so far', async () => {
  const { joined, decide, memory } = await join(true);
  expect(joined).toBe(false);
  expect(await decide('/orders/7')).toBe('unavailable');
  expect([memory.keys.find('k1'), memory.roles.find(2), memory.follower.revision.n]).toEqual([
    undefined,
    undefined,
    -1,
  ]);
});

it('decides by the loaded state until its lease ends or it leaves', async () => {
  const { clock, joined, decide, memory, isRegistered } = await join();
  expect(joined).toBe(true);
  expect(await decide('/orders')).toBe('permission_denied');
  expect(await decide('/orders/7')).toBe('allowed');
  clock.now += leaseMilliseconds;
  expect(await decide('/orders/7')).toBe('unavailable');
  clock.now -= leaseMilliseconds;
  expect(await decide('/orders/7')).toBe('allowed');
  await memory.member.leave();
  expect(await decide('/orders/7')).toBe('unavailable');
  expect(isRegistered()).toBe(false);
});

it('allows by a temporary rule until two seconds before its end, and judges again what was allowed by it', async () => {
  const { clock, decide, memory } = await join();
  const { generation } = memory.current;
  clock.now += 2900;
  expect(await decide('/reports')).toBe('allowed');
  expect([memory.current.generation, memory.current.nextEnd]).toEqual([generation, nowSeconds * 1000 + 5000]);
  clock.now += 100;
  expect(memory.current.generation).toBeGreaterThan(generation);
  expect(await decide('/reports')).toBe('permission_denied');
  expect(await decide('/orders/7')).toBe('allowed');
  await memory.member.leave();
});
