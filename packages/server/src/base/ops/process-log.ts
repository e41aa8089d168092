// Process log: JSON lines (pino) on stdout that never block the service.
import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { createLineOutput, type LineOutput } from './line-output.ts';

export interface ProcessLog {
  readonly logger: Logger;
  readonly output: LineOutput;
}

interface ProcessLogOptions {
  readonly stream?: Writable;
  /** Whether the message of an error explains it; the log then omits the stack. */
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

/** Omits all other fields: a Postgres error repeats values, a parser error repeats input. */
function describeError(error: unknown, isKnown: boolean) {
  const { name, message, code, stack } = error as {
    name?: string;
    message?: string;
    code?: string;
    stack?: string;
  };
  return { name, message, code, ...(isKnown ? {} : { stack }) };
}
