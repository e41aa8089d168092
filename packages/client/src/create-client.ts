// API client (SDK) for front ends: one typed call for each endpoint, and one error handling for all calls.
import type { Endpoint, Language } from '@portcullis/contract';
import type { CallArguments, CallResult, CallRow, Calls } from './call.ts';
import { calls } from './calls.ts';
import { ClientError } from './client-error.ts';
import { limitTime } from './limit-time.ts';
import { readEvents } from './read-events.ts';
import { expectStream, lineError, readReply } from './read-reply.ts';
import { type RequestInput, requestOf, targetOf } from './request.ts';
import { createSession, memoryStore, type SessionEvents, type TokenStore } from './session.ts';

export interface ClientOptions extends SessionEvents {
  /** Scheme, host, port, and the path if the service is below one. The origin of the page by default. */
  readonly baseUrl?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** In memory by default. */
  readonly tokenStore?: TokenStore | undefined;
  /** The timeout of a call, and of a stream until it begins; no timeout by default. */
  readonly limitSeconds?: number | undefined;
  /** The language of the service's messages; the browser's language by default. */
  readonly language?: Language | (() => Language) | undefined;
}

export type Client = Calls & {
  /**
   * Calls an endpoint that you declare yourself.
   * @example const { data } = await client.call<typeof showOrder>(['GET', '/api/v1/orders/:id'], { params: { id: 7 } });
   */
  call<E extends Endpoint>(row: CallRow<E>, ...input: CallArguments<E>): CallResult<E>;
  readonly tokenStore: TokenStore;
};

type Row = readonly [method: string, path: string, stream?: string];

/**
 * Creates a client.
 *
 * @example
 * const client = createClient({ onSignedOut: () => openLogin(), onNotAllowed: ({ msg }) => show(msg) });
 * await client.login({ body: { username, password, uuid, code } });
 * const { data } = await client.listSessions({ query: { userId: 7 } });
 */
export function createClient(options: ClientOptions = {}): Client {
  const {
    baseUrl = '',
    fetch = globalThis.fetch,
    tokenStore = memoryStore(),
    language,
    limitSeconds,
  } = options;
  const session = createSession(tokenStore, options);
  const base = baseUrl.replace(/\/+$/, '');

  /** Sends every call, and handles every error. */
  async function open<T>(
    [method, path]: Row,
    input: RequestInput,
    read: (response: Response, token: string | undefined) => Promise<T>,
  ): Promise<T> {
    const token = session.token();
    const spoken = typeof language === 'function' ? language() : language;
    const limit = limitTime(input.signal, limitSeconds);
    try {
      const url = base + targetOf(path, input);
      const request = requestOf({ ...input, signal: limit.signal }, { method, token, language: spoken });
      const response = await fetch(url, request).catch((cause) =>
        Promise.reject(lineError(cause, input.signal)),
      );
      return await read(response, token);
    } catch (error) {
      if (limit.isOver() && input.signal?.aborted !== true)
        throw new ClientError('timed_out', { cause: error });
      session.tell(error, token);
      throw error;
    } finally {
      limit.end();
    }
  }

  async function* openEvents(row: Row, input: RequestInput, stream: string) {
    yield* readEvents(await openStream(row, input, stream), input.signal);
  }
  const openStream = (row: Row, input: RequestInput, stream: string) =>
    open(row, input, (response) => expectStream(response, stream, input.signal));

  function call(row: Row, input: RequestInput = {}): unknown {
    const stream = row[2];
    if (stream === 'text/event-stream') return openEvents(row, input, stream);
    if (stream !== undefined) return openStream(row, input, stream);
    return open(row, input, async (response, token) => {
      const reply = await readReply(response, input.signal);
      if (row === calls.login) session.begin(tokenOf(reply));
      if (row === calls.logout) session.end(token);
      return reply;
    });
  }

  const named = Object.entries(calls).map(([name, row]) => [
    name,
    (input?: RequestInput) => call(row, input),
  ]);
  // The cast is safe: the types of the table check every row against its endpoint.
  return { ...Object.fromEntries(named), call, tokenStore } as Client;
}

function tokenOf(reply: { readonly token?: unknown }): string {
  if (typeof reply.token !== 'string' || reply.token === '') throw new ClientError('not_understood');
  return reply.token;
}
