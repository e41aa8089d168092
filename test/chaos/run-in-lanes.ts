// Runs groups of scenarios in lanes beside each other, each group in a separate process: what waits for leases, clocks
// and disks leaves the processors to what computes. The lines of a scenario come together, when it is over.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '../rig/create-database.ts';
import { shareTemplate } from '../rig/postgres-server.ts';
import type { Totals } from './run-in-turn.ts';

/** Set in the processes of lanes. */
export const laneVariable = 'PORTCULLIS_CHAOS_LANE';

/** Groups of names, from what computes most to what waits most. The flags of the command line are for all of them. */
export async function runInLanes(
  groups: readonly (readonly string[])[],
  flags: readonly string[],
): Promise<Totals> {
  // Many start a Postgres of their own: each has a copy of one that was made and migrated once.
  const shared = await shareTemplate(async (server) => {
    await (await createDatabase({ migrated: true, server: server.url() })).drop();
  });
  const left = [...groups];
  let totals = { passed: 0, failed: 0 };
  async function runLane(takeNext: () => readonly string[] | undefined): Promise<void> {
    for (let group = takeNext(); group !== undefined; group = takeNext()) {
      const { passed, failed } = await runGroup(group, flags, shared);
      totals = { passed: totals.passed + passed, failed: totals.failed + failed };
    }
  }
  // One computes, two wait.
  await Promise.all([runLane(() => left.shift()), runLane(() => left.pop()), runLane(() => left.pop())]);
  return totals;
}

async function runGroup(
  names: readonly string[],
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Totals> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  // By way of the shell, so that both kinds of output come in their order.
  const child = spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', process.execPath, main, ...names, ...flags], {
    env: { ...process.env, ...environment, [laneVariable]: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const left = new Set(names);
  let totals = { passed: 0, failed: 0 };
  let lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    const [, name = '', passed, failed] = /^chaos (\S+): (\d+) passed, (\d+) failed \(/.exec(line) ?? [];
    if (!left.delete(name)) continue;
    console.log(lines.join('\n'));
    lines = [];
    totals = { passed: totals.passed + Number(passed), failed: totals.failed + Number(failed) };
  }
  const [code, signal] = await exited;
  if (left.size > 0) console.log(lines.join('\n'));
  for (const name of left)
    console.log(`chaos ${name}: 0 passed, 1 failed (its process ended with ${signal ?? code} before it did)`);
  return { ...totals, failed: totals.failed + left.size };
}
