// Handles Ctrl-C (SIGINT). An open transaction is rolled back when the connection closes, so nothing is half done.
// Several listeners can be active; the earlier ones leave the message to the latest, which knows more.
import { exitCodes } from './exit-codes.ts';

/** For every command. Returns a function that removes the listener. */
export function endOnInterrupt(): () => void {
  return listen((others) => {
    if (others === 0) end('Interrupted. Nothing is half done.');
  });
}

/** For a wait after which nothing can be undone: the reason says what has already happened. */
export async function printOnInterrupt<T>(reason: string, waiting: Promise<T>): Promise<T> {
  const stop = listen((others) => {
    if (others <= 1) end(`Interrupted. ${reason}`);
  });
  return await waiting.finally(stop);
}

/** For work of several steps: the signal is aborted on Ctrl-C, and the work ends after the current step. */
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
  // Overwrites the `^C` of the terminal and the progress line.
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}\n` : `${text}\n`);
  process.exit(exitCodes.interrupted);
}
