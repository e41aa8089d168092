// The error that the service throws on purpose. The error table defines by `kind` what a caller is sent, and `text` can replace the
// text; `cause` is for the process log and never reaches an answer.

import type { FactorDetails } from '../factor.ts';
import type { Text } from '../messages.ts';
import type { ChangedDetails } from '../revision.ts';
import { type ErrorKind, errorTable } from './error-table.ts';

interface AppErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** Replaces the text of the table when the error has a more precise one. It never names a secret. */
  readonly text?: Text;
  /** For `revision_conflict` and `factor_required`. */
  readonly details?: ChangedDetails | FactorDetails | undefined;
}

/**
 * @example throw new AppError('record_not_found');
 * @example throw new AppError('rate_limited', { retryAfterSeconds: 3 });
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly retryAfterSeconds: number | undefined;
  readonly text: Text;
  readonly details: ChangedDetails | FactorDetails | undefined;

  constructor(kind: ErrorKind, options: AppErrorOptions = {}) {
    super(kind, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.text = options.text ?? errorTable[kind].text;
    this.details = options.details;
  }
}
