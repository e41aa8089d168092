// The error that the service throws on purpose. The error table defines by `kind` what a caller is sent; `cause` is for the
// process log and never reaches an answer.

import type { FactorDetails } from '../factor.ts';
import type { ChangedDetails } from '../revision.ts';
import type { ErrorKind } from './error-table.ts';

interface AppErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** For `changed_meanwhile` and `factor_required`. */
  readonly details?: ChangedDetails | FactorDetails | undefined;
}

/**
 * @example throw new AppError('record_not_found');
 * @example throw new AppError('rate_limited', { retryAfterSeconds: 3 });
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly retryAfterSeconds: number | undefined;
  readonly details: ChangedDetails | FactorDetails | undefined;

  constructor(kind: ErrorKind, options: AppErrorOptions = {}) {
    super(kind, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }
}
