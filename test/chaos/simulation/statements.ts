// The way to the database: a statement is sent, executed at one moment and answered; each way takes its time, and either
// may be lost. One that was given up may still be executed.
import type { Database } from './database.ts';
import type { Host } from './host.ts';
import type { World } from './world.ts';

/** Down for a while, as with a network that is cut. */
export interface Link {
  downUntil: number;
}

export interface Statements {
  readonly link: Link;
  ask<T>(execute: (database: Database) => T): Promise<T>;
  /** With a separate snapshot, which may be older than what it changes. */
  askInTwo<T>(begin: (database: Database) => () => T): Promise<T>;
}

const patienceMilliseconds = 2500;
const lockedPerMille = 50;

export function createStatements(world: World, host: Host, database: Database): Statements {
  const { chance } = world;
  const link: Link = { downUntil: 0 };

  function askInTwo<T>(begin: (database: Database) => () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const isDown = world.now < link.downUntil;
    const isLost = isDown && chance.happens(500);
    const [there, locked, back] = [
      world.delay(),
      chance.happens(lockedPerMille) ? world.delay() : 0,
      world.delay(),
    ];
    const { connection } = database;
    const fail = () => reject(new Error('The database does not answer.'));

    /** No process notices: nothing has to wait for it. */
    function runStatement(): false {
      if (database.connection !== connection) host.deliver(back, fail);
      else {
        const execute = begin(database);
        if (locked > 0) world.plan(locked, () => finish(execute));
        else finish(execute);
      }
      return false;
    }

    function finish(execute: () => T): false {
      if (database.connection !== connection) host.deliver(back, fail);
      else if (isDown || world.now < link.downUntil) {
        tryOut(execute);
        world.see('answerLost');
        host.setTimer(fail, Math.max(0, patienceMilliseconds - there - locked));
      } else {
        const answer = tryOut(execute);
        host.deliver(back, () => {
          if (database.connection === connection || chance.happens(500)) answer();
          else fail();
        });
      }
      return false;
    }

    function tryOut(execute: () => T): () => void {
      try {
        const result = execute();
        return () => resolve(result);
      } catch (error) {
        return () => reject(error);
      }
    }

    if (!isLost) world.plan(there, runStatement);
    // No timer for each: most are answered in time.
    if (isLost || there + locked + back > patienceMilliseconds) host.setTimer(fail, patienceMilliseconds);
    return promise;
  }

  return {
    link,
    ask: (execute) => askInTwo((database) => () => execute(database)),
    askInTwo,
  };
}
