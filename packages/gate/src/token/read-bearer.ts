// Finds the token of a request: header, then query parameter, then cookie. The first carrier that is present
// decides, and a bad one never falls through to the next.
import { AppError } from '@portcullis/contract';

export interface Carriers {
  /** Names and values in turn, as Node's `rawHeaders` has them: `headers` hides a repeated Authorization. */
  readonly rawHeaders: readonly string[];
  readonly query: string;
  /** Asked for last: Node builds `headers` when it is first read, and few requests need it. */
  readonly cookie: string | undefined;
}

export const scheme = 'Bearer ';

/** The scheme and the token, whichever carrier it came by: a header that is written so needs no copy. */
export function readBearer(carriers: Carriers): string {
  const header = findAuthorization(carriers.rawHeaders);
  if (header !== undefined) return header.startsWith(scheme) ? header : scheme + tokenIn(header);
  const token = fromQuery(carriers.query) ?? fromPairs(carriers.cookie ?? '', ';', 'jwt=');
  if (token === undefined) throw new AppError('token_missing');
  return scheme + token;
}

/** Whether the token comes by the cookie, the one carrier that a browser sends by itself. */
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

/** RFC 9110: the scheme's case does not matter, and one space follows it. */
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
