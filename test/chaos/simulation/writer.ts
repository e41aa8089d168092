// Whoever takes something away: commits a revision, and waits for it at the product's barrier.
import type { Database } from './database.ts';
import { createHost, type Host } from './host.ts';
import type { Network } from './network.ts';
import { createStatements, type Statements } from './statements.ts';
import type { World } from './world.ts';

export interface Writer {
  readonly host: Host;
  readonly statements: Statements;
  /** How many of its calls have not ended. */
  readonly waiting: number;
  write(write: number): Promise<void>;
}

export function startWriter(world: World, database: Database, network: Network, name: string): Writer {
  const { chance } = world;
  const host = createHost(world, name);
  const statements = createStatements(world, host, database);
  let waiting = 0;
  let removes = 0;
  let lookedAt = 0;
  const barrier = world.product.createBarrier({
    store: {
      readView: () =>
        statements.ask(() => {
          lookedAt = world.now;
          return database.look();
        }),
      async removeSilent(written) {
        removes += 1;
        await statements.ask(() => database.deleteSilent(written));
        await statements.ask(() => database.markMembershipComplete(written.incarnation));
      },
    },
    notifier: {
      notify(n) {
        for (const instance of network.instances)
          if (instance !== undefined && chance.happens(900))
            instance.host.deliver(world.delay(), () => instance.ring(n));
        return new Promise((resolve) => host.deliver(world.delay(), resolve));
      },
    },
    monotonic: host.monotonic,
    setTimer: host.setTimer,
  });

  return {
    host,
    statements,
    get waiting() {
      return waiting;
    },
    async write(write) {
      waiting += 1;
      const before = removes;
      try {
        const written = await statements.ask(() => {
          const { n, mark, incarnation } = database.commit(write);
          world.tell(() => `        revision ${n} ${mark} is committed: w${write}`);
          return { n, incarnation };
        });
        await barrier.pass(written);
        world.returned |= 1 << write;
        if ((world.lostAt.get(write) ?? Number.POSITIVE_INFINITY) < lookedAt)
          world.violation = `the call for w${write} returns, which the database has lost`;
        world.see('returned');
        if (removes > before) world.see('returnedByWaiting');
        world.tell(() => `${name}: the call for w${write} returns`);
      } catch (error) {
        world.see('unavailable');
        world.tell(() => `${name}: the call for w${write} ends with 503 (${(error as Error).message})`);
      }
      waiting -= 1;
    },
  };
}
