// A guard, composed as in guard/src/create-guard.ts: what cannot join tries again with a new memory.
import type { Member } from '@portcullis/gate';
import type { Snapshot } from './database.ts';
import { createHeldWrites, pieceOf } from './held-writes.ts';
import { createHost, type Host } from './host.ts';
import { sleep } from './instance.ts';
import type { Dialer, Network } from './network.ts';
import { listWrites, type Memory, type World } from './world.ts';

export interface Guard {
  readonly host: Host;
  leave(): Promise<void>;
}

interface GuardOptions {
  readonly world: World;
  readonly network: Network;
  readonly name: string;
}

/** A guard's own, as it is set unless it is said. */
const leaseMilliseconds = 10_000;
const retryMilliseconds = 500;
const silenceMilliseconds = 5000;

export function startGuard({ world, network, name }: GuardOptions): Guard {
  const { chance } = world;
  const host = createHost(world, name);
  const dialer = network.createDialer(host);
  let member: Member | undefined;
  let isLeaving = false;

  async function join(): Promise<void> {
    for (let tries = 1; !isLeaving; tries++) {
      member = createGuardMember(world, host, dialer, tries);
      try {
        await member.join();
        return world.tell(() => `${name} has joined`);
      } catch (error) {
        world.tell(() => `${name} does not join: ${(error as Error).message}`);
        await member.leave();
        await sleep(host, retryMilliseconds * (1 + chance.fraction()));
      }
    }
  }

  void join();
  return {
    host,
    async leave() {
      if (isLeaving) return;
      isLeaving = true;
      world.see('released');
      world.tell(() => `${name} leaves`);
      await member?.leave();
      // Until its process ends.
      await sleep(host, chance.between(0, 1000));
      host.die();
    },
  };
}

function createGuardMember(world: World, host: Host, dialer: Dialer, tries: number): Member {
  const { product, chance } = world;
  const held = createHeldWrites();
  const source = product.createPushedSource(async (take) => {
    const { revision, writes } = await fetchSnapshot(world, host, dialer);
    await take(pieceOf(writes));
    return revision;
  });
  const follower = product.createFollower(source, [held], () => {});
  follower.onStep((step) => {
    world.tell(() => `${host.name} has ${step.kind} to ${follower.revision.n}: ${listWrites(held.writes)}`);
    if (step.kind === 'followed') world.see('followed');
    else if (lease.isLive()) world.see('guardLoaded');
  });
  const lease = product.createLease(leaseMilliseconds, host.instant);
  const databaseClock = product.createDatabaseClock(host.instant);
  const memory: Memory = { host, lease, held };
  world.memories.push(memory);
  return product.createGuardMember({
    openConnection: dialer.openConnection,
    source,
    follower,
    lease,
    identity: { id: idOf(chance.below(2 ** 30), tries), service: 'orders', version: '1' },
    onDatabaseTime: databaseClock.observe,
    random: chance.fraction,
    onFailure: (cause) => world.tell(() => `${host.name}: ${(cause as Error).message}`),
    onLease: (isLive) => void (isLive || world.see('leaseLost')),
    setTimer: host.setTimer,
  });
}

/** As the memory of an instance has it, or the database. */
async function fetchSnapshot(world: World, host: Host, dialer: Dialer) {
  const instance = await dialer.reach();
  const { promise, resolve, reject } = Promise.withResolvers<Snapshot>();
  host.setTimer(() => reject(new Error('Portcullis does not answer.')), silenceMilliseconds);
  const revision = instance.revision();
  const reading =
    revision !== undefined && world.chance.happens(500)
      ? Promise.resolve({ revision, writes: instance.held.writes })
      : instance.statements.ask((database) => database.readAll());
  reading.then((snapshot) => host.deliver(world.delay(), () => resolve(snapshot)), reject);
  return await promise;
}

function idOf(one: number, other: number): string {
  return `${one.toString(16).padStart(8, '0')}-0000-4000-8000-${other.toString(16).padStart(12, '0')}`;
}
