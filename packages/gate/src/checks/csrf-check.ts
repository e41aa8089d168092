// Check 1, from where: a browser sends the cookie along by itself, also for a page of somebody else. A call that
// changes something therefore needs a sign that our own front end made it; header and query are sign enough.
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
  return function siteCheck(exchange: CsrfCheckedRequest): void {
    if (exchange.method === 'GET' || !isByCookie(exchange.carriers)) return;
    if (!isOwnSite(exchange.headers, listed)) throw new AppError('cross_site');
  };
}

function isOwnSite(headers: IncomingHttpHeaders, listed: ReadonlySet<string>): boolean {
  if (headers.origin !== undefined && listed.has(headers.origin)) return true;
  const site = headers['sec-fetch-site'];
  // A browser that names the site is believed over X-Requested-With, which only speaks where it names none (plain HTTP).
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers['x-requested-with'] !== undefined;
}
