// Writes every error response, regardless of what found the error: a check, a handler, Fastify, Node's HTTP parser or the
// request-target gate.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import {
  AppError,
  type ErrorKind,
  errorAnswer,
  errorTable,
  type Language,
  negotiateLanguage,
  type PermissionDeniedCode,
} from '@portcullis/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../cluster/store/is-unavailable.ts';
import { commonHeaders, requestIdHeader } from './headers.ts';

/** The kind of any error that reaches Fastify; an unknown error is a fault of the service. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError(kindOf((error ?? {}) as Partial<FastifyError>), { cause: error });
}

function kindOf(error: Partial<FastifyError>): ErrorKind {
  const { code, statusCode, validation } = error;
  if (validation !== undefined) return 'params_invalid';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'body_too_large';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'content_type_wrong';
  if (statusCode === 404) return 'route_not_found';
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return 'params_invalid';
  return isUnavailable(error) ? 'unavailable' : 'internal';
}

export function sendError(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  permissionDenied?: PermissionDeniedCode,
): void {
  const language = negotiateLanguage(request.headers['accept-language']);
  const { status, headers, body } = errorAnswer(error, language, permissionDenied);
  const { code } = errorTable[error.kind];
  const isReal = request.routeOptions.config.realStatus === true;
  reply
    .code(isReal ? code : status)
    .headers(headers)
    .send(body);
}

/** For requests that never reach Fastify. */
export function writeError(
  kind: ErrorKind,
  response: ServerResponse,
  requestId: string,
  language: Language,
): void {
  const { status, headers, body } = errorAnswer(new AppError(kind), language);
  response.writeHead(status, { ...commonHeaders, ...headers, [requestIdHeader]: requestId });
  response.end(body);
}

/** For input without a response object of Node: bytes that are not HTTP, and CONNECT. */
export function rawError(
  kind: ErrorKind,
  requestId: string,
  shared: Readonly<Record<string, string>> = {},
): string {
  const { status, headers, body } = errorAnswer(new AppError(kind), 'en');
  const lines = Object.entries({
    ...commonHeaders,
    ...shared,
    ...headers,
    [requestIdHeader]: requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
