// The client of a front end: one typed call an endpoint, and refusals handled once for all of them.
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
  /** Scheme, host and port, and a path where the service stands below one. The page's own origin unless given. */
  readonly baseUrl?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** In memory unless given. */
  readonly tokenStore?: TokenStore | undefined;
  /** How long a call may take, and a stream until it begins; without an end unless given. */
  readonly limitSeconds?: number | undefined;
  /** Of the service's messages; the browser's own unless given. */
  readonly language?: Language | (() => Language) | undefined;
}

export type Client = Calls & {
  /**
   * Calls an endpoint of your own, by its declaration.
   * @example const { data } = await client.call<typeof showOrder>(['GET', '/api/v1/orders/:id'], { params: { id: 7 } });
   */
  call<E extends Endpoint>(row: CallRow<E>, ...input: CallArguments<E>): CallResult<E>;
  readonly tokenStore: TokenStore;
};

type Row = readonly [method: string, path: string, stream?: string];

/**
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

  /** Every call goes through here, and so does every refusal. */
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
  // The table's own types have tied every row to its endpoint.
  return { ...Object.fromEntries(named), call, tokenStore } as Client;
}

function tokenOf(reply: { readonly token?: unknown }): string {
  if (typeof reply.token !== 'string' || reply.token === '') throw new ClientError('not_understood');
  return reply.token;
}
