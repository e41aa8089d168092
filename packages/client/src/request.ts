// Writes the request of a call: target, headers, body. The token goes into the header and nowhere else.
import { ClientError } from './client-error.ts';

/** The input of any call, as far as a request needs to know it. */
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

/** What the service takes in a segment; `..` in one would make it another call, such as the end of all sessions. */
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
  // Without a token of ours the cookie may speak, and then the service asks for a sign that no other page calls.
  else headers['x-requested-with'] = 'XMLHttpRequest';
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    method,
    headers,
    // The service never redirects; whoever does must not be handed a password.
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal == null ? {} : { signal }),
  };
}
