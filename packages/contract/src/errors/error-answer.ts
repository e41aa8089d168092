// Builds an error response from the error table: status, headers and the exact body.

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

/** 401 as in the specification, or 403 for go-admin's front ends. */
export type PermissionDeniedCode = 401 | 403;

/** The code in the body: the table's, but for a missing permission the chosen one. */
export function codeOf(kind: ErrorKind, permissionDenied: PermissionDeniedCode = 401): number {
  const row: { code: number; reason?: AuthReason } = errorTable[kind];
  return row.reason === 'permission_denied' ? permissionDenied : row.code;
}

export function errorAnswer(
  error: AppError,
  language: Language,
  permissionDenied?: PermissionDeniedCode,
): ErrorAnswer {
  const { status, text: _text, code: _code, ...row } = errorTable[error.kind];
  const code = codeOf(error.kind, permissionDenied);
  const headers: Record<string, string> = { 'content-type': jsonContentType };
  if ('reason' in row) headers[authReasonHeader] = row.reason;
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  // `JSON.stringify` leaves out undefined details.
  return {
    status,
    headers,
    body: JSON.stringify({ code, msg: error.text[language], details: error.details }),
  };
}
