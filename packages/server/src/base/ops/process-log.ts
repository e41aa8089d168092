// The process log: JSON lines on stdout that never make the service wait.
import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { createLineOutput, type LineOutput } from './line-output.ts';

export interface ProcessLog {
  readonly logger: Logger;
  readonly output: LineOutput;
}

interface ProcessLogOptions {
  readonly stream?: Writable;
  /** Whether an error says where it comes from by itself, so that its stack is left out. */
  readonly isKnown?: (error: unknown) => boolean;
}

export function createProcessLog(
  level: string,
  { stream = process.stdout, isKnown = () => false }: ProcessLogOptions = {},
): ProcessLog {
  const output = createLineOutput(stream);
  const err = (error: unknown) => describeError(error, isKnown(error));
  return { logger: pino({ level, serializers: { err } }, output), output };
}

/** Never the whole error: a Postgres error repeats values, a parser error repeats input. */
function describeError(error: unknown, isKnown: boolean) {
  const { name, message, code, stack } = error as {
    name?: string;
    message?: string;
    code?: string;
    stack?: string;
  };
  return { name, message, code, ...(isKnown ? {} : { stack }) };
}
