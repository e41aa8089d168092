// Reads the bearer token of a request: from the Authorization header, then the query parameter, then the cookie. The first
// carrier that is present decides, and a malformed one never falls through to the next.
import { AppError } from '@portcullis/contract';

export interface Carriers {
  /** Names and values alternate, as in Node's `rawHeaders`: `headers` hides a repeated Authorization. */
  readonly rawHeaders: readonly string[];
  readonly query: string;
  /** Read last: Node builds `headers` at its first use, and few requests need it. */
  readonly cookie: string | undefined;
}

export const scheme = 'Bearer ';

/** Returns `Bearer <token>` for every carrier. A header that already has this form needs no copy. */
export function readBearer(carriers: Carriers): string {
  const header = findAuthorization(carriers.rawHeaders);
  if (header !== undefined) return header.startsWith(scheme) ? header : scheme + tokenIn(header);
  const token = fromQuery(carriers.query) ?? fromPairs(carriers.cookie ?? '', ';', 'jwt=');
  if (token === undefined) throw new AppError('token_missing');
  return scheme + token;
}

/** Whether the token is in the cookie, the only carrier that a browser sends automatically. */
export function isByCookie({ rawHeaders, query }: Carriers): boolean {
  return findAuthorization(rawHeaders) === undefined && fromQuery(query) === undefined;
}

function fromQuery(query: string): string | undefined {
  return fromPairs(query, '&', 'token=');
}

function findAuthorization(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index])) continue;
    if (found !== undefined) throw new AppError('token_malformed');
    found = rawHeaders[index + 1] ?? '';
  }
  return found;
}

function isAuthorization(name = ''): boolean {
  if (name.length !== 'authorization'.length) return false;
  return name === 'Authorization' || name.toLowerCase() === 'authorization';
}

/** RFC 9110: the scheme is case-insensitive, and one space follows it. */
function tokenIn(header: string): string {
  if (header.slice(0, scheme.length).toLowerCase() !== 'bearer ') throw new AppError('token_malformed');
  return header.slice(scheme.length);
}

function fromPairs(text: string, separator: string, prefix: string): string | undefined {
  if (!text.includes(prefix)) return undefined;
  const found = text
    .split(separator)
    .map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((pair) => pair.startsWith(prefix));
  if (found.length > 1) throw new AppError('token_malformed');
  return found[0]?.slice(prefix.length);
}
