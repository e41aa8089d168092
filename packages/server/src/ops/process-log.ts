// The process log: JSON lines on stdout that never make the service wait.
import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { createLineOutput, type LineOutput } from './line-output.ts';

export interface ProcessLog {
  readonly logger: Logger;
  readonly output: LineOutput;
}

export function createProcessLog(level: string, stream: Writable = process.stdout): ProcessLog {
  const output = createLineOutput(stream);
  return { logger: pino({ level, serializers: { err: describeError } }, output), output };
}

/** Never the whole error: a Postgres error repeats values, a parser error repeats input. */
function describeError(error: unknown) {
  const { name, message, code, stack } = error as {
    name?: string;
    message?: string;
    code?: string;
    stack?: string;
  };
  return { name, message, code, stack };
}
