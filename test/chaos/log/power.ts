// Simulated power cuts (F13): SIGKILL leaves the kernel's memory as it is, so here what was not synced is put back, as
// power-model.ts describes. Simulated is the loss of what an instance had not synced in the folder of its spool, no
// disk that lies about a sync, and no cut of Postgres, which looks after itself. In some rounds syncs fail, and what
// they were to bring to the disk is lost. No acknowledged record is.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { compareWithTable, createAttemptBook, findProblems } from './attempt-book.ts';
import { drainAll } from './drain-all.ts';
import { createLogInstance, prepareStage } from './log-instance.ts';
import { startLoginLoad } from './login-load.ts';
import { cutSignal, powerVariables } from './power-settings.ts';
import { verifyChains } from './verify-chains.ts';

export const powerScenario: OwnScenario = {
  title: 'simulated power cuts under login load; nothing that was answered is lost',
  size: 6,
  instances: 1,
  leaseSeconds: 2,
  run: runCuts,
};

const lanes = 12;
/** In one round of so many, syncs fail as well (F14); what failed goes straight into the table. */
const failingOneIn = 3;
const mostTimes = 4;
const leastAttempts = 30;
const mostAttempts = 120;

async function runCuts({ size, seed, progress, enter }: ChaosRun): Promise<ChaosResult> {
  const stage = await prepareStage();
  const random = new Random(seed);
  const book = createAttemptBook();
  const failures: string[] = [];
  const lost = { pages: 0, names: 0, cuts: 0 };
  const disk = join(stage.spoolFolder, 'disk');
  await mkdir(disk);
  // Folders that the first start makes: their names can be lost as well.
  const deep = { ...stage, spoolFolder: join(disk, 'var/spool') };
  const instance = createLogInstance({
    databaseUrl: stage.database.url,
    spoolFolder: deep.spoolFolder,
    preload: 'power-cut.ts',
    settings: { [powerVariables.root]: disk },
  });

  async function runUntilCut(number: number): Promise<void> {
    const isFailing = number % failingOneIn === failingOneIn - 1;
    const { process } = await instance.start({
      [powerVariables.seed]: String(seed * 10_007 + number),
      ...(isFailing ? { [powerVariables.failOneIn]: '4' } : {}),
    });
    // In half of the others nothing leaves the spool.
    const unlock = !isFailing && random.once(2) ? await stage.database.lock('login_log') : undefined;
    const load = startLoginLoad({
      targets: [instance],
      lanesPerTarget: lanes,
      book,
      seed: seed * 10_007 + number,
    });
    const enough = book.answered + leastAttempts + random.below(mostAttempts);
    while (book.answered < enough) await sleep(5);
    process.signal(cutSignal);
    await process.exited;
    await load.stop();
    await unlock?.();
    const line = process.output.split('\n').find((text) => text.startsWith('{"cutAt"'));
    if (line === undefined) throw new Error(`The power was not cut: ${process.output.slice(-1000)}`);
    const { pages, names } = JSON.parse(line) as { pages: number; names: number };
    lost.pages += pages;
    lost.names += names;
    lost.cuts += pages + names > 0 ? 1 : 0;
    failures.push(...load.failures);
    if (/"job":"maintain login log"/.test(process.output))
      failures.push(`what was left behind was not drained: ${process.output.slice(-1000)}`);
  }

  enter('work');
  try {
    let cuts = 0;
    // A few cuts may all come when everything is synced: then some more.
    const isEnough = () => cuts >= size && (lost.pages > 0 || cuts >= mostTimes * size);
    for (; !isEnough() && failures.length < mostFailures; cuts += 1) {
      await runUntilCut(cuts);
      progress(Math.min(cuts + 1, size));
    }
    const drain = await drainAll(deep);
    const comparison = await compareWithTable(stage.database, book);
    const chains = await verifyChains(stage.database);
    failures.push(...drain.failures, ...findProblems(comparison), ...chains.failures);
    if (lost.pages === 0) failures.push('no cut lost anything: the test sees nothing');
    return {
      passed: failures.length === 0 ? size : 0,
      failures: failures.slice(0, mostFailures),
      remarks: [
        `${cuts} cuts, of which ${lost.cuts} lost something: ${lost.pages} pages and ${lost.names} names that were not synced`,
        `${book.answered.toLocaleString('en')} answered attempts: ${comparison.missing} missing, ${comparison.doubled} doubled, ${comparison.wrong} wrong; ${comparison.unanswered} of ${book.sent - book.answered} without an answer are logged`,
        drain.remark,
        chains.remark,
      ],
    };
  } finally {
    enter('end');
    await instance.kill();
    await stage.close();
  }
}
