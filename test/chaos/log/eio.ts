// A disk that fails (F14): on running instances strace makes fdatasync fail with EIO, and writes with ENOSPC. Whoever
// was answered is in the table once, also where the instance is killed before it has let go of the failed segment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { compareWithTable, createAttemptBook, findProblems } from './attempt-book.ts';
import { drainAll } from './drain-all.ts';
import { createLogInstance, prepareStage } from './log-instance.ts';
import { startLoginLoad } from './login-load.ts';
import { armingSignal, stopPointVariable } from './stop-points.ts';
import { verifyChains } from './verify-chains.ts';

export const eioScenario: OwnScenario = {
  title: 'the disk of the spool fails with EIO and ENOSPC; nothing that was answered is lost',
  size: 4,
  instances: 1,
  leaseSeconds: 2,
  run: runFailures,
};

/** Each from its fifth call on one in three, as threads come to it. */
const injections = ['fdatasync:error=EIO', 'pwrite64:error=ENOSPC', 'fdatasync:error=EIO', 'fsync:error=EIO'];
const lanes = 12;
const attemptsPerRound = 150;
const patienceMilliseconds = 2000;

async function runFailures({ size, seed, progress, enter }: ChaosRun): Promise<ChaosResult> {
  const stage = await prepareStage();
  const random = new Random(seed);
  const book = createAttemptBook();
  const failures: string[] = [];
  let broken = 0;
  const instance = createLogInstance({
    databaseUrl: stage.database.url,
    spoolFolder: stage.spoolFolder,
    preload: 'stop-at.ts',
  });

  async function runUntilKilled(number: number): Promise<void> {
    const { process } = await instance.start({ [stopPointVariable]: 'before-insert' });
    const injection = injections[number % injections.length] ?? '';
    const strace = await attach(process.pid, `${injection}:when=5+3`);
    const load = startLoginLoad({ targets: [instance], lanesPerTarget: lanes, book, seed: seed + number });
    const enough = book.answered + attemptsPerRound;
    while (book.answered < enough) await sleep(5);
    // Before the records of a failed segment are inserted, or wherever it is.
    if (random.once(2)) {
      process.signal(armingSignal);
      await Promise.race([process.exited, sleep(patienceMilliseconds)]);
    }
    await instance.kill();
    await strace.ended;
    await load.stop();
    failures.push(...load.failures);
    broken += process.output.split('the spool of the login log failed').length - 1;
  }

  enter('work');
  try {
    for (let number = 0; number < size && failures.length < mostFailures; number += 1) {
      await runUntilKilled(number);
      progress(number + 1);
    }
    const drain = await drainAll(stage);
    const comparison = await compareWithTable(stage.database, book);
    const chains = await verifyChains(stage.database);
    failures.push(...drain.failures, ...findProblems(comparison), ...chains.failures);
    if (broken === 0) failures.push('no write failed: the test sees nothing');
    return {
      passed: failures.length === 0 ? size : 0,
      failures: failures.slice(0, mostFailures),
      remarks: [
        `${broken} writes failed; ${book.answered.toLocaleString('en')} answered attempts: ${comparison.missing} missing, ${comparison.doubled} doubled, ${comparison.wrong} wrong`,
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

/** Resolves when strace has hold of the process. It ends with it. */
async function attach(pid: number, injection: string): Promise<{ ended: Promise<unknown> }> {
  const [call = ''] = injection.split(':');
  const strace = spawn(
    'strace',
    ['-f', '-p', String(pid), '-e', `trace=${call}`, '-e', `inject=${injection}`, '-o', '/dev/null'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(strace, 'exit');
  let told = '';
  strace.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    strace.emit('told');
  });
  while (!/attached/.test(told)) {
    const isOver = await Promise.race([ended.then(() => true), once(strace, 'told').then(() => false)]);
    if (isOver) throw new Error(`strace could not attach: ${told}`);
  }
  return { ended };
}
