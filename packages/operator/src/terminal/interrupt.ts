// Ctrl-C. A transaction that is open goes with the connection, so that nothing is ever half done. Who listens later
// knows more: each of these gives way to it.
import { exitCodes } from './exit-codes.ts';

/** For every command. Returns what stops it. */
export function endOnInterrupt(): () => void {
  return listen((others) => {
    if (others === 0) end('Interrupted. Nothing is half done.');
  });
}

/** For a wait after which nothing can be undone any more: the reason says what has already happened. */
export async function sayOnInterrupt<T>(reason: string, waiting: Promise<T>): Promise<T> {
  const stop = listen((others) => {
    if (others <= 1) end(`Interrupted. ${reason}`);
  });
  return await waiting.finally(stop);
}

/** For work of several steps, which ends after the step at hand once the signal is aborted. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = listen(() => controller.abort());
  return await work(controller.signal).finally(stop);
}

function listen(onInterrupt: (others: number) => void): () => void {
  const listener = () => onInterrupt(process.listenerCount('SIGINT') - 1);
  process.on('SIGINT', listener);
  return () => process.off('SIGINT', listener);
}

function end(text: string): never {
  // Over the `^C` of the terminal, and over progress.
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}\n` : `${text}\n`);
  process.exit(exitCodes.interrupted);
}
