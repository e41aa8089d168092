// A machine's clock that shows hours too much for a while gives no lease. What it did to memory meanwhile counts
// afterwards: a token that was ended has to stay ended.
import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { Change, PublicJwk } from '../../src/access/change.ts';
import type { AccessSource, NumberedChanges } from '../../src/access/follower.ts';
import { createAccessMemory } from '../../src/member/access-memory.ts';
import { createMember, type MemberTransport, type ReportResult } from '../../src/member/member.ts';
import { createGuardMember, type OpenConnection } from '../../src/relay/guard-member.ts';
import { createPushedSource } from '../../src/relay/pushed-source.ts';
import { createRelay, type Relay } from '../../src/relay/relay.ts';
import { createVerifyingKeys } from '../../src/token/verifying-keys.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from '../test-keys.ts';
import { decideBy } from './decide-by.ts';

const { publicKey, token } = createTestKeys();
const publicJwk = publicKey.export({ format: 'jwk' }) as PublicJwk;
const leaseMilliseconds = 10_000;
const maxTokenLifetimeSeconds = 86_400;
const hours = 3600 * 1000;
const startedAt = performance.now();
const trueTime = () => nowSeconds * 1000 + performance.now() - startedAt;
const ended: Change = { kind: 'token_revoked', jti: goodClaims.jti, expiresAt: goodClaims.exp };

/** So many that the table is built anew. */
function endOthers(): Change[] {
  return Array.from({ length: 2000 }, () => ({
    kind: 'token_revoked',
    jti: randomBytes(16).toString('base64url'),
    expiresAt: nowSeconds + 20 * 3600,
  }));
}

/** What all of them follow: the token is ended in its first revision. */
function createHistory() {
  const revisions: NumberedChanges[] = [];
  const listeners: ((n: number) => void)[] = [];
  function write(changes: readonly Change[]): void {
    const n = revisions.length;
    revisions.push({ n, mark: `m${n}`, changes });
    for (const tell of listeners) tell(n);
  }
  write([]);
  write([ended]);
  const source: AccessSource = {
    listRevisionsFrom: async (n) => revisions.slice(n),
    async readAll(take) {
      await take({ kind: 'keys', dev: false, live: [{ kid: 'k1', publicJwk, signing: true }], retired: [] });
      await take({ kind: 'roles', roles: [{ id: 2, roleKey: 'editor', dataScope: '3' }] });
      await take({ kind: 'rules', rules: [{ roleKey: 'editor', method: 'GET', path: '/orders' }] });
      await take({ kind: 'revocations', lines: `${goodClaims.jti} ${goodClaims.exp}` });
      return { n: 1, mark: 'm1' };
    },
  };
  return { write, source, newest: () => revisions.at(-1) ?? { n: 0, mark: '' }, listeners };
}

type History = ReturnType<typeof createHistory>;

function createMachine() {
  const clock = { ahead: 0 };
  return { clock, now: () => trueTime() + clock.ahead };
}

const common = {
  maxTokenLifetimeSeconds,
  leaseMilliseconds,
  monotonic: () => performance.now(),
  reportBadRule() {},
  reportUnreadable() {},
};

async function startInstance({ source, newest, listeners }: History) {
  const { clock, now } = createMachine();
  let isRegistered = false;
  const transport: MemberTransport = {
    async register() {
      isRegistered = true;
    },
    async report(): Promise<ReportResult | undefined> {
      const { n, mark } = newest();
      const found = { n, mark, at: trueTime(), incarnation: 'i', membershipComplete: true, instances: 1 };
      return isRegistered ? { ...found, leaseMilliseconds } : undefined;
    },
    markMembershipComplete: async () => {},
    latch: async () => {},
    deregister: async () => {},
    onNotification: (listener) => void listeners.push(listener),
  };
  const memory = createAccessMemory({
    ...common,
    source,
    createMember({ follower, lease, databaseClock }) {
      const databaseTime = databaseClock.latestByTrueClocks;
      const relay = createRelay({ lease, leaseMilliseconds, databaseTime, monotonic: common.monotonic });
      follower.onStep(relay.follow);
      const member = createMember({
        transport,
        follower,
        lease,
        downstream: relay,
        onDatabaseTime: databaseClock.observe,
        renewMilliseconds: 20,
        random: () => 0,
        onFailure() {},
      });
      return { ...member, relay };
    },
    keys: createVerifyingKeys(false),
    now,
  });
  await memory.member.join();
  return { clock, now, memory };
}

function openConnectionTo(relay: Relay): OpenConnection {
  return async ({ onMessage }) => {
    const line = relay.connect({
      send: (text) => void setImmediate(() => onMessage(JSON.parse(text))),
      close() {},
    });
    return { send: (message) => line.receive(JSON.stringify(message)), close: line.closed };
  };
}

/** It loads from one instance, and has its lease from another. */
async function startGuard(
  readAll: AccessSource['readAll'],
  openConnection: OpenConnection,
  { clock, now } = createMachine(),
) {
  const source = createPushedSource(readAll);
  const memory = createAccessMemory({
    ...common,
    source,
    createMember: (parts) =>
      createGuardMember({
        ...parts,
        openConnection,
        source,
        identity: { id: '00000000-0000-4000-8000-000000000000', service: 'orders', version: '1' },
        onDatabaseTime: parts.databaseClock.observe,
        random: () => 0,
        onFailure() {},
        onLease() {},
      }),
    keys: createVerifyingKeys(false),
    now,
  });
  await memory.member.join();
  return { clock, now, memory };
}

function decide({ memory, now }: Pick<Awaited<ReturnType<typeof startGuard>>, 'now' | 'memory'>) {
  return decideBy({
    memory,
    maxTokenLifetimeSeconds,
    now,
    token: token(goodHeader, goodClaims),
    path: '/orders',
  });
}

it('keeps ended tokens while the clock of an instance is ahead and changes come', async () => {
  const history = createHistory();
  const instance = await startInstance(history);
  expect(await decide(instance)).toBe('token_revoked');
  instance.clock.ahead = 8 * hours;
  expect(await decide(instance)).toBe('unavailable');
  // A notification arrives, and the new revision is applied: the table grows.
  history.write(endOthers());
  await vi.waitFor(() => expect(instance.memory.follower.revision.n).toBe(history.newest().n));
  instance.clock.ahead = 0;
  await vi.waitFor(() => expect(instance.memory.lease.isLive()).toBe(true));
  expect(await decide(instance)).toBe('token_revoked');
  await instance.memory.member.leave();
});

it('gives a guard no ended tokens less where the clock of the instance that it loads from is ahead', async () => {
  const history = createHistory();
  const [wrong, right] = [await startInstance(history), await startInstance(history)];
  wrong.clock.ahead = 8 * hours;
  expect(await decide(wrong)).toBe('unavailable');
  const guard = await startGuard(wrong.memory.readAll, openConnectionTo(right.memory.member.relay)).catch(
    () => {},
  );
  // That it does not start is as well.
  if (guard !== undefined) expect(await decide(guard)).toBe('token_revoked');
  await guard?.memory.member.leave();
  for (const { memory } of [wrong, right]) await memory.member.leave();
});

it.each([
  ['ahead', 8 * hours],
  ['at 1970', -nowSeconds * 1000],
])('keeps ended tokens where the clock of a guard was %s while it loaded', async (_how, ahead) => {
  const history = createHistory();
  const instance = await startInstance(history);
  const machine = createMachine();
  machine.clock.ahead = ahead;
  const open = openConnectionTo(instance.memory.member.relay);
  const guard = await startGuard(
    instance.memory.readAll,
    (events) => {
      // A time server has answered.
      machine.clock.ahead = 0;
      return open(events);
    },
    machine,
  );
  history.write(endOthers());
  await vi.waitFor(() => expect(guard.memory.follower.revision.n).toBe(history.newest().n));
  await vi.waitFor(() => expect(guard.memory.lease.isLive()).toBe(true));
  expect(await decide(guard)).toBe('token_revoked');
  for (const { memory } of [guard, instance]) await memory.member.leave();
});
