// CSRF check: a request that changes data and carries its token only in the cookie must come from our own site or a
// listed origin. Browsers send cookies automatically, also with requests from other sites. They do not do that with the
// Authorization header or the query parameter, so those tokens need no check.
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@portcullis/contract';
import { type Carriers, isByCookie } from '../token/read-bearer.ts';

export interface CsrfCheckedRequest {
  readonly method: string;
  readonly carriers: Carriers;
  readonly headers: IncomingHttpHeaders;
}

export function createCsrfCheck(origins: readonly string[]) {
  const listed = new Set(origins);
  return function csrfCheck(request: CsrfCheckedRequest): void {
    if (request.method === 'GET' || !isByCookie(request.carriers)) return;
    if (!isOwnSite(request.headers, listed)) throw new AppError('cross_site');
  };
}

function isOwnSite(headers: IncomingHttpHeaders, listed: ReadonlySet<string>): boolean {
  if (headers.origin !== undefined && listed.has(headers.origin)) return true;
  const site = headers['sec-fetch-site'];
  // Sec-Fetch-Site has priority over X-Requested-With, which counts only when the browser does not send Sec-Fetch-Site
  // (plain HTTP).
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers['x-requested-with'] !== undefined;
}
