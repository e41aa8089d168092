// Output of the process log, which never blocks the service: unread lines are buffered up to a limit, and further lines are dropped
// and counted.
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LineOutput {
  write(line: string): void;
  readonly droppedLines: number;
  /** Resolves when every line is written, or after a timeout when nothing reads. */
  flush(): Promise<void>;
}

const maxWaitingCharacters = 1024 * 1024;
const flushMilliseconds = 1000;

/** Node writes to a pipe or a socket without blocking, and buffers what does not fit. */
export function createLineOutput(stream: Writable): LineOutput {
  let droppedLines = 0;
  const countFailure = (error?: Error | null) => {
    if (error) droppedLines += 1;
  };
  // A reader that closed the stream must not end the process; `countFailure` counts its lines.
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
