// How an error is answered: status, headers and the exact body, from the error table.

import type { Language } from '../messages.ts';
import type { AppError } from './app-error.ts';
import { errorTable } from './error-table.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export const jsonContentType = 'application/json; charset=utf-8';
export const authReasonHeader = 'x-auth-reason';

export function errorAnswer(error: AppError, language: Language): ErrorAnswer {
  const { code, status, text, ...row } = errorTable[error.kind];
  const headers: Record<string, string> = { 'content-type': jsonContentType };
  if ('reason' in row) headers[authReasonHeader] = row.reason;
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  // What is undefined is left out.
  return { status, headers, body: JSON.stringify({ code, msg: text[language], details: error.details }) };
}
