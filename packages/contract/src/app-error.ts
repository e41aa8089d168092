// The one error that is thrown on purpose. What a caller is told comes from the error table by `kind`;
// `cause` is for the process log and never reaches an answer.
import type { ErrorKind } from './error-table.ts';

/**
 * @example throw new AppError('record_not_found');
 * @example throw new AppError('rate_limited', { retryAfterSeconds: 3 });
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(kind, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
