// The triggers that no session passes whose provider does not stand for it any more: as they are, with the window held open, and
// without their locks.
import type { Database } from '../../rig/create-database.ts';

const windowSeconds = 0.03;
const lockLine = /^ *perform pg_advisory_xact_lock_shared\(.*\);\n/gm;
const lastLine = /^ *return new;\n/m;
const locksExpected = 5;

export async function openGuards(database: Database) {
  const names = ['guard_session', 'guard_provider_session'];
  const rows = await Promise.all(
    names.map((name) =>
      database.query<{ text: string }>(`select pg_get_functiondef('${name}'::regproc) as text`),
    ),
  );
  const texts = rows.map(([row]) => row?.text ?? '');
  const wide = texts.map((text, index) =>
    index === 0 ? text : text.replace(lastLine, (line) => `perform pg_sleep(${windowSeconds});\n${line}`),
  );
  const locks = texts.reduce((sum, text) => sum + (text.match(lockLine)?.length ?? 0), 0);
  const define = async (all: readonly string[]) => {
    for (const text of all) await database.query(text);
  };
  return {
    asItIs: () => define(texts),
    withWindow: () => define(wide),
    /** The control is worth nothing where the locks are elsewhere. */
    async withoutLocks() {
      if (locks !== locksExpected)
        throw new Error(`The triggers have ${locks} locks where this control looks for ${locksExpected}.`);
      await define(wide.map((text) => text.replace(lockLine, '')));
    },
  };
}
