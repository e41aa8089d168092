// A process in a copy of the tree that runs the tests of one control after another. One that takes too long is ended with all that
// it started, and the next control gets another.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ControlAnswer, ControlRun } from './control-worker.ts';

export interface ControlWorker {
  /** Undefined where it took too long or ended. */
  run(run: ControlRun): Promise<ControlAnswer | undefined>;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

const endMilliseconds = 10_000;

export function createControlWorker(copy: string, limitMilliseconds: number): ControlWorker {
  let child: ChildProcess | undefined;
  const kill = () => {
    if (child !== undefined) killGroup(child);
  };
  // Before the copy is removed, in which it may be writing.
  process.prependOnceListener('exit', kill);

  async function start(): Promise<ChildProcess> {
    // Bundles would hide what is planted.
    const { PORTCULLIS_TEST_BUNDLES: _bundles, ...environment } = process.env;
    const started = spawn(process.execPath, [join(copy, 'test/mutation/control-worker.ts')], {
      cwd: copy,
      detached: true,
      env: { ...environment, PORTCULLIS_TEST_PATIENCE: 'true', PORTCULLIS_TEST_AHEAD: 'false' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await Promise.race([once(started, 'message'), once(started, 'exit')]);
    return started;
  }

  return {
    async run(run) {
      child ??= await start();
      const running = child;
      const timer = setTimeout(kill, limitMilliseconds);
      const over = new AbortController();
      try {
        if (running.exitCode !== null || running.signalCode !== null) return undefined;
        const { signal } = over;
        const answered = once(running, 'message', { signal }).then(([answer]) => answer as ControlAnswer);
        const ended = once(running, 'exit', { signal }).then(() => undefined);
        running.send(run);
        return await Promise.race([answered, ended]);
      } finally {
        over.abort();
        clearTimeout(timer);
        if (running.exitCode !== null || running.signalCode !== null) child = undefined;
      }
    },
    async stop() {
      if (child === undefined) return;
      const ended = once(child, 'exit');
      const timer = setTimeout(kill, endMilliseconds);
      child.disconnect();
      await ended;
      clearTimeout(timer);
      child = undefined;
    },
  };
}

/** A separate group: the processes that tests start end with it. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
