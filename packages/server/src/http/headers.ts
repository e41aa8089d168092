// The headers that every answer carries. A refusal is HTTP 200, so a cache would keep it if it were not told.
import { jsonContentType } from '@portcullis/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const commonHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export const requestIdHeader = 'x-request-id';

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders).header(requestIdHeader, request.id);
}

const commonLines = Object.entries(commonHeaders).flat();

/** Names and values in turn, as Node writes them fastest. */
export function headerLines(requestId: string, body: string): string[] {
  const length = String(Buffer.byteLength(body));
  return [
    ...commonLines,
    requestIdHeader,
    requestId,
    'content-type',
    jsonContentType,
    'content-length',
    length,
  ];
}

/** For a proxy such as nginx, which would keep a stream's pieces until it has a page of them. */
export const unbuffered = { 'x-accel-buffering': 'no' } as const;
const unbufferedLines = Object.entries(unbuffered).flat();

/** Without a length: that of a stream shows at its end. */
export function streamHeaderLines(requestId: string, contentType: string): string[] {
  return [...commonLines, requestIdHeader, requestId, 'content-type', contentType, ...unbufferedLines];
}
