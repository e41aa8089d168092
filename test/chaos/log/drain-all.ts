// Brings what killed instances left in the spool into the table, as the next start does, and sees that nothing stays.
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogInstance, listLeftSegments, type Stage } from './log-instance.ts';

interface Drained {
  readonly failures: string[];
  readonly remark: string;
}

const patienceMilliseconds = 300_000;
/** A folder whose owner has just died is looked at again only a minute later, or by the next start. */
const restartMilliseconds = 10_000;

export async function drainAll(
  { database, spoolFolder }: Pick<Stage, 'database' | 'spoolFolder'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Drained> {
  const left = await listLeftSegments(spoolFolder);
  const instance = createLogInstance({ databaseUrl: database.url, spoolFolder, settings });
  await instance.start();
  const startedAt = performance.now();
  const isLeft = async () => {
    const now = new Set(await listLeftSegments(spoolFolder));
    return left.some((path) => now.has(path));
  };
  let lastStartAt = startedAt;
  while ((await isLeft()) && performance.now() - startedAt < patienceMilliseconds) {
    await sleep(50);
    if (performance.now() - lastStartAt < restartMilliseconds) continue;
    await instance.stop();
    await instance.start();
    lastStartAt = performance.now();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const code = await instance.stop();
  const stays = await listLeftSegments(spoolFolder);
  return {
    failures: [
      ...(code === 0 ? [] : [`the last instance exited with ${code}`]),
      ...stays.map((path) => `${path} holds records that were not drained`),
    ],
    remark: `the next start drained ${left.length} segments in ${seconds.toFixed(1)} s`,
  };
}
