// Reads the headers in which a gateway describes the original request. A repeated header is read as empty, which is never
// accepted: the gateway sets each header once, so a second one is from its client (header injection).

export interface GatewayHeaders {
  readonly secret: string | undefined;
  readonly method: string | undefined;
  readonly uri: string | undefined;
  /** All cookie headers, joined as Node joins them. */
  readonly cookie: string | undefined;
}

/** One pass over the raw headers: Node would have to build `headers` for every request, and `headers` hides repetition. */
export function readGatewayHeaders(rawHeaders: readonly string[]): GatewayHeaders {
  let secret: string | undefined;
  let method: string | undefined;
  let uri: string | undefined;
  let cookie: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    if (is(name, 'x-portcullis-secret')) secret = once(secret, value);
    else if (is(name, 'x-forwarded-method')) method = once(method, value);
    else if (is(name, 'x-forwarded-uri')) uri = once(uri, value);
    else if (is(name, 'cookie')) cookie = cookie === undefined ? value : `${cookie}; ${value}`;
  }
  return { secret, method, uri, cookie };
}

function is(name: string, known: string): boolean {
  return name.length === known.length && name.toLowerCase() === known;
}

function once(before: string | undefined, value: string): string {
  return before === undefined ? value : '';
}
