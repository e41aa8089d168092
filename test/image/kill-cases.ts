// SIGKILL of the service in the container under login load. Every answered attempt is in the table once, brought there by the
// next start from what the volume kept.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compareWithTable, createAttemptBook, findProblems } from '../chaos/log/attempt-book.ts';
import { listLeftSegments } from '../chaos/log/log-instance.ts';
import { startLoginLoad } from '../chaos/log/login-load.ts';
import { leastCost, seedPeople } from '../chaos/log/seed-people.ts';
import { verifyChains } from '../chaos/log/verify-chains.ts';
import type { Case } from '../operate/case.ts';
import { createDatabase } from '../rig/create-database.ts';
import type { Scene } from './image-cases.ts';
import { runCommand, type ServedImage, serveImage, settingsOf } from './served-image.ts';

const attemptsPerKill = 150;
const lanes = 12;
const paceMilliseconds = 20;
const patienceMilliseconds = 120_000;
/** The attempts come from many networks, by the header of a proxy. */
const dev = {
  APPLICATION_MODE: 'dev',
  APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]',
  CLUSTER_LEASE_SECONDS: '2',
  HASH_MEMORY_KIBIBYTES: String(leastCost.memoryKibibytes),
  HASH_PASSES: String(leastCost.passes),
};

export function killCase(scene: Scene, kills: number, seed: number): Case {
  return {
    title: `killed ${kills} times under login load, it loses no record`,
    run: () => killUnderLoad(scene, kills, seed),
  };
}

async function killUnderLoad(scene: Scene, kills: number, seed: number): Promise<void> {
  const database = await createDatabase({ migrated: false });
  const spool = join(scene.container.volume, 'spool');
  const settings = settingsOf(database.url, dev);
  const book = createAttemptBook();
  let served: ServedImage | undefined;
  const load = startLoginLoad({
    targets: [
      {
        captchaRequired: false,
        get port() {
          return served?.port;
        },
      },
    ],
    lanesPerTarget: lanes,
    book,
    seed,
  });
  const kill = async () => {
    const victim = served;
    served = undefined;
    victim?.signal('SIGKILL');
    await victim?.exited;
  };
  try {
    const migrated = await runCommand(scene, ['migrate'], settings);
    assert.equal(migrated.code, 0, migrated.output);
    await seedPeople(database);
    for (let number = 1; number <= kills; number += 1) {
      served = await serveImage(scene, settings);
      // What is answered from here on cannot leave the spool before the kill.
      const unlock = await database.lock('login_log', { readersPass: true });
      try {
        await waitUntil(() => book.answered >= number * attemptsPerKill);
        await kill();
      } finally {
        await unlock();
      }
      assert.notDeepEqual(
        await listLeftSegments(spool),
        [],
        'Nothing was in the spool: the kill shows nothing.',
      );
    }
    await load.stop();
    assert.deepEqual(load.failures, []);
    served = await serveImage(scene, settings);
    await waitUntil(async () => (await listLeftSegments(spool)).length === 0);
    const last = served;
    last.signal('SIGTERM');
    assert.equal(await last.exited, 0);
    served = undefined;
    const comparison = await compareWithTable(database, book);
    assert.deepEqual(findProblems(comparison), []);
    assert.deepEqual((await verifyChains(database)).failures, []);
    console.log(`       ${book.answered} attempts were answered, ${comparison.rows} are in the table`);
  } finally {
    await load.stop();
    await kill();
    await database.drop();
  }
}

async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMilliseconds;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited for ${patienceMilliseconds / 1000} s.`);
    await sleep(paceMilliseconds);
  }
}
