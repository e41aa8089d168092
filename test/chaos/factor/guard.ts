// The trigger that no weaker session passes, as it is, with its window held open, and without its locks.
import type { Database } from '../../rig/create-database.ts';

/** Between the question of what is demanded and the end of the transaction that stores the session. */
const windowSeconds = 0.01;
const lockLine = /^ *perform pg_advisory_xact_lock_shared\(.*\);\n/gm;
const lastLine = /^ *return new;\n/m;

export interface Guard {
  asItIs(): Promise<void>;
  withWindow(): Promise<void>;
  withoutLocks(): Promise<void>;
}

export async function openGuard(database: Database): Promise<Guard> {
  const [row] = await database.query<{ text: string }>(
    `select pg_get_functiondef('guard_session'::regproc) as text`,
  );
  const text = row?.text ?? '';
  const wide = text.replace(lastLine, (line) => `perform pg_sleep(${windowSeconds});\n${line}`);
  const bare = wide.replace(lockLine, '');
  const locks = text.match(lockLine)?.length ?? 0;
  return {
    asItIs: async () => void (await database.query(text)),
    async withWindow() {
      if (wide === text) throw new Error('The trigger does not end where this scenario looks.');
      await database.query(wide);
    },
    /** The control is worth nothing where the locks are elsewhere. */
    async withoutLocks() {
      if (locks !== 2) throw new Error(`The trigger has ${locks} locks where this control looks for two.`);
      await database.query(bare);
    },
  };
}
