// An instance, composed as in server/src/compose/access.ts, over the simulated database.
import type { AccessSource, Member, Relay } from '@portcullis/gate';
import type { Database, StoredRevision } from './database.ts';
import { changeOf, createHeldWrites, type HeldWrites, pieceOf } from './held-writes.ts';
import { createHost, type Host } from './host.ts';
import type { Network } from './network.ts';
import { createStatements, type Statements } from './statements.ts';
import { listWrites, type Memory, type World } from './world.ts';

export interface Instance {
  readonly host: Host;
  readonly relay: Relay;
  readonly held: HeldWrites;
  readonly statements: Statements;
  readonly source: AccessSource;
  /** What a snapshot from memory bears; undefined while nothing is in force. */
  revision(): { readonly n: number; readonly mark: string } | undefined;
  /** The greatest revision that it was to report. */
  readonly reported: number;
  readonly isLeaving: boolean;
  /** Receives a notification of a new revision. */
  ring(n: number): void;
  leave(): Promise<void>;
}

interface InstanceOptions {
  readonly world: World;
  readonly database: Database;
  readonly network: Network;
  /** Of the places where instances listen. */
  readonly place: number;
  readonly name: string;
}

const leaveMilliseconds = 500;
const lookMilliseconds = 50;

export function startInstance({ world, database, network, place, name }: InstanceOptions): Instance {
  const { product, chance, leaseMilliseconds } = world;
  const host = createHost(world, name);
  const statements = createStatements(world, host, database);
  const held = createHeldWrites();
  const source = createSource(statements);
  const follower = product.createFollower(source, [held], () => {});
  const lease = product.createLease(leaseMilliseconds, host.instant);
  const databaseClock = product.createDatabaseClock(host.instant);
  const relay = product.createRelay({
    lease,
    leaseMilliseconds,
    databaseTime: databaseClock.latestByTrueClocks,
    monotonic: host.monotonic,
  });
  follower.onStep((step) => {
    world.tell(() => `${name} has ${step.kind} to ${follower.revision.n}: ${listWrites(held.writes)}`);
    relay.follow(step);
  });
  let listener: (n: number) => void = () => {};
  let reported = -1;
  let hasRow = false;
  const member: Member = product.createMember({
    transport: {
      async register(revision) {
        await statements.ask(() => database.raiseLease(leaseMilliseconds));
        await statements.ask(() => database.insertRow(name, revision));
        if (hasRow) world.see('registeredAgain');
        hasRow = true;
        world.tell(() => `${name} has registered at ${revision}`);
      },
      async report(revision) {
        if (revision < follower.revision.n) world.see('heldBack');
        reported = Math.max(reported, revision);
        world.tell(() => `${name} reports ${revision}`);
        const found = await statements.askInTwo(() => {
          const finish = database.beginReport(name);
          return () => finish(revision);
        });
        world.tell(() => `${name} hears that its report of ${revision} found ${found?.n} ${found?.mark}`);
        return found;
      },
      markMembershipComplete: (incarnation) =>
        statements.ask(() => database.markMembershipComplete(incarnation)),
      latch: (found) => statements.ask(() => database.latch(found)),
      async deregister() {
        world.see('rowDeleted');
        await statements.ask(() => database.deleteRow(name));
      },
      onNotification(given) {
        listener = given;
      },
    },
    follower,
    lease,
    downstream: relay,
    renewMilliseconds: Math.min(1000, leaseMilliseconds / 5),
    onDatabaseTime: databaseClock.observe,
    random: chance.fraction,
    onFailure: (cause) => world.tell(() => `${name}: ${(cause as Error).message}`),
    onLease: (isLive) => void (isLive || world.see('leaseLost')),
    setTimer: host.setTimer,
  });
  const memory: Memory = { host, lease, held };
  world.memories.push(memory);
  let isLeaving = false;

  const instance: Instance = {
    host,
    relay,
    held,
    statements,
    source,
    revision: () => (follower.revision.n < 0 ? undefined : follower.revision),
    get reported() {
      return reported;
    },
    get isLeaving() {
      return isLeaving;
    },
    ring: (n) => listener(n),
    async leave() {
      if (isLeaving) return;
      isLeaving = true;
      await joining;
      world.tell(() => `${name} leaves`);
      relay.leave();
      if (network.instances[place] === instance) network.instances[place] = undefined;
      for (let left = leaveMilliseconds; relay.isAnyLive() && left > 0; left -= lookMilliseconds)
        await sleep(host, lookMilliseconds);
      network.cutLines((line) => line.instance === instance);
      if (relay.isAnyLive()) world.see('rowKept');
      await member.leave().catch(() => {});
      // Until its process ends.
      await sleep(host, chance.between(0, 1000));
      die();
    },
  };

  function die(): void {
    world.tell(() => `${name} ends`);
    host.die();
  }

  async function join(): Promise<void> {
    try {
      await member.join();
      world.tell(() => `${name} has joined`);
      network.instances[place] = instance;
    } catch {
      void instance.leave();
    }
  }

  const joining = join();
  return instance;
}

function createSource(statements: Statements): AccessSource {
  return {
    async listRevisionsFrom(n) {
      const revisions = await statements.ask((database) => database.listRevisionsFrom(n));
      return revisions.map(numberedChangesOf);
    },
    async readAll(take) {
      const { revision, writes } = await statements.ask((database) => database.readAll());
      await take(pieceOf(writes));
      return revision;
    },
  };
}

function numberedChangesOf({ n, mark, write }: StoredRevision) {
  return { n, mark, changes: write === undefined ? [] : [changeOf(write)] };
}

export function sleep(host: Host, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void host.setTimer(resolve, milliseconds));
}
