// Builds the HTTP request of a call: target, headers and body. It sends the token only in the Authorization header.
import { ClientError } from './client-error.ts';

/** The parts of a call's input that a request needs. */
export interface RequestInput {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

interface RequestFacts {
  readonly method: string;
  readonly token: string | undefined;
  readonly language: string | undefined;
}

/**
 * The segments that the service accepts. A segment `..` would make the request another call, such as ending all
 * sessions.
 */
const segment = /^(?!\.\.?$)[A-Za-z0-9_~.-]{1,64}$/;

export function targetOf(path: string, { params = {}, query = {} }: RequestInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const text = String(params[name] ?? '');
    if (!segment.test(text))
      throw new ClientError('invalid', {}, `The path parameter "${name}" cannot be sent.`);
    return text;
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one != null) search.append(name, String(one));
  const text = String(search);
  return text === '' ? filled : `${filled}?${text}`;
}

export function requestOf(
  { body, signal }: RequestInput,
  { method, token, language }: RequestFacts,
): RequestInit {
  const headers: Record<string, string> = {};
  if (language !== undefined) headers['accept-language'] = language;
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  // Without a token, the cookie can authenticate the call, and the service's CSRF check then needs this header.
  else headers['x-requested-with'] = 'XMLHttpRequest';
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    method,
    headers,
    // The service never redirects. A server that does must not receive a password.
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal == null ? {} : { signal }),
  };
}
