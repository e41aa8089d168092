// Where the process log goes. It never makes the service wait: lines that nobody reads are kept up to a bound, and
// beyond it dropped and counted.
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LineOutput {
  write(line: string): void;
  readonly droppedLines: number;
  /** Resolves when every line is out, or after some time without a reader. */
  flush(): Promise<void>;
}

const maxWaitingCharacters = 1024 * 1024;
const flushMilliseconds = 1000;

/** Node writes to a pipe and to a socket without waiting, and keeps what does not fit. */
export function createLineOutput(stream: Writable): LineOutput {
  let droppedLines = 0;
  const countFailure = (error?: Error | null) => {
    if (error) droppedLines += 1;
  };
  // A reader that has gone is no reason to end; its lines are counted where they are written.
  stream.on('error', () => {});
  return {
    write(line) {
      if (stream.writableLength + line.length > maxWaitingCharacters) droppedLines += 1;
      else stream.write(line, countFailure);
    },
    get droppedLines() {
      return droppedLines;
    },
    async flush() {
      const { promise: written, resolve } = Promise.withResolvers<void>();
      stream.write('', () => resolve());
      await Promise.race([written, sleep(flushMilliseconds)]);
    },
  };
}
