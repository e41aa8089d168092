// How an error is answered: status, headers and the exact body, from the error table.

import type { Language } from '../messages.ts';
import type { AppError } from './app-error.ts';
import { type AuthReason, type ErrorKind, errorTable } from './error-table.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export const jsonContentType = 'application/json; charset=utf-8';
export const authReasonHeader = 'x-auth-reason';

/** The specification's code, or the one of front ends that were made for go-admin. */
export type PermissionDeniedCode = 401 | 403;

/** What goes into the body: the table's code, but for a missing permission the one that is chosen. */
export function codeOf(kind: ErrorKind, permissionDenied: PermissionDeniedCode = 401): number {
  const row: { code: number; reason?: AuthReason } = errorTable[kind];
  return row.reason === 'permission_denied' ? permissionDenied : row.code;
}

export function errorAnswer(
  error: AppError,
  language: Language,
  permissionDenied?: PermissionDeniedCode,
): ErrorAnswer {
  const { status, text, code: _, ...row } = errorTable[error.kind];
  const code = codeOf(error.kind, permissionDenied);
  const headers: Record<string, string> = { 'content-type': jsonContentType };
  if ('reason' in row) headers[authReasonHeader] = row.reason;
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  // What is undefined is left out.
  return { status, headers, body: JSON.stringify({ code, msg: text[language], details: error.details }) };
}
