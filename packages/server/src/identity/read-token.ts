// Finds the token of a request: header, then query parameter, then cookie. The first carrier that is present
// decides, and a bad one never falls through to the next.
import { AppError } from '@portcullis/contract';

export interface Carriers {
  /** Names and values in turn, as Node's `rawHeaders` has them: `headers` hides a repeated Authorization. */
  readonly rawHeaders: readonly string[];
  readonly query: string;
  readonly cookie: string | undefined;
}

export function readToken({ rawHeaders, query, cookie }: Carriers): string {
  const presented =
    fromHeader(rawHeaders) ?? fromPairs(query, '&', 'token=') ?? fromPairs(cookie ?? '', ';', 'jwt=');
  if (presented === undefined) throw new AppError('token_missing');
  return presented;
}

function fromHeader(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== 'authorization'.length || name.toLowerCase() !== 'authorization') continue;
    if (found !== undefined) throw new AppError('token_malformed');
    found = rawHeaders[index + 1] ?? '';
  }
  return found === undefined ? undefined : bearer(found);
}

/** RFC 9110: the scheme's case does not matter, and one space follows it. */
function bearer(value: string): string {
  if (value.slice(0, 7).toLowerCase() !== 'bearer ') throw new AppError('token_malformed');
  return value.slice(7);
}

function fromPairs(text: string, separator: string, prefix: string): string | undefined {
  if (!text.includes(prefix)) return undefined;
  const found = text
    .split(separator)
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  if (found.length > 1) throw new AppError('token_malformed');
  return found[0]?.slice(prefix.length);
}
