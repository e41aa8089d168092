// HTTP client of the guard for the decision listener, with failover: a call starts at the address that answered last and
// tries the others in order. The first address is random, so that guards spread over the instances (load balancing).
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { guardPartsPath } from '@portcullis/gate';
import { WebSocket } from 'ws';

interface HttpOptions {
  readonly urls: readonly string[];
  readonly secret: string;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** The idle timeout: the call fails after this long without data. */
  readonly silenceMilliseconds: number;
  /** The timeout for the body; the idle timeout by default. */
  readonly bodyMilliseconds?: number;
}

export interface Http {
  /** Resolves with the response when its headers arrive. Throws for every status except 200. */
  open(call: Call): Promise<IncomingMessage>;
  json(call: Call): Promise<unknown>;
  bytes(call: Call): Promise<Buffer>;
  /** Resolves with an open WebSocket. Every call starts with the next address. */
  openConnection(path: string): Promise<WebSocket>;
  /** How often a call failed at one address and continued with the next. */
  readonly reconnects: number;
  /** Ends open calls and refuses new ones. */
  close(): void;
}

/** A configuration error: a retry would fail again. */
export class Misconfigured extends Error {}

/** The maximum size of an answer: Portcullis never sends a larger one. */
const mostBytes = 64 * 1024 * 1024;
/** The timeout for opening a WebSocket: a guard has only seconds to find another instance. */
const handshakeMilliseconds = 1000;

export function createHttp({ urls, secret }: HttpOptions): Http {
  const agents = { http: new Agent({ keepAlive: true }), https: new TlsAgent({ keepAlive: true }) };
  let current = Math.floor(Math.random() * urls.length);
  let nextSocket = current;
  let reconnects = 0;
  let isClosed = false;

  async function open(call: Call): Promise<IncomingMessage> {
    let failure: unknown;
    for (const _ of urls) {
      if (isClosed) throw new Error('The guard is closed.');
      const at = current;
      try {
        return await send(new URL(call.path, urls[at % urls.length]), call);
      } catch (error) {
        failure = error;
        // Another call can have switched to the next address already.
        if (current !== at) continue;
        current += 1;
        reconnects += 1;
      }
    }
    throw failure;
  }

  function send(url: URL, { method, body, silenceMilliseconds }: Call): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isTls = url.protocol === 'https:';
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = (isTls ? requestHttps : requestHttp)(url, {
      method,
      agent: isTls ? agents.https : agents.http,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
      timeout: silenceMilliseconds,
    });
    request.on('timeout', () => request.destroy(new Error('it does not answer')));
    request.on('error', (cause: NodeJS.ErrnoException) => reject(unreachable(url, cause)));
    request.on('response', (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      reject(explain(url, response.statusCode));
    });
    request.end(text);
    return promise;
  }

  async function bytes(call: Call): Promise<Buffer> {
    const response = await open(call);
    // The idle timeout does not catch a body that arrives very slowly, which would block the guard forever.
    const timer = setTimeout(
      () => response.destroy(new Error('An answer takes too long.')),
      call.bodyMilliseconds ?? call.silenceMilliseconds,
    );
    try {
      return await readBytes(response);
    } finally {
      clearTimeout(timer);
    }
  }

  async function openConnection(path: string): Promise<WebSocket> {
    let failure: unknown;
    for (const _ of urls) {
      if (isClosed) throw new Error('The guard is closed.');
      const url = new URL(path, urls[nextSocket % urls.length]);
      nextSocket += 1;
      try {
        return await connect(url);
      } catch (error) {
        failure = error;
        reconnects += 1;
      }
    }
    throw failure;
  }

  function connect(url: URL): Promise<WebSocket> {
    const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${secret}` },
      handshakeTimeout: handshakeMilliseconds,
      perMessageDeflate: false,
      maxPayload: mostBytes,
    });
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, { statusCode }) => {
      socket.terminate();
      reject(explain(url, statusCode));
    });
    socket.on('error', (cause: NodeJS.ErrnoException) => reject(unreachable(url, cause)));
    return promise;
  }

  return {
    open,
    openConnection,
    get reconnects() {
      return reconnects;
    },
    bytes,
    json: async (call) => parseJson((await bytes(call)).toString('utf8')),
    close() {
      isClosed = true;
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function unreachable({ origin }: URL, cause: NodeJS.ErrnoException): Error {
  return new Error(`${origin} cannot be reached: ${cause.code ?? cause.message}.${hintOf(cause)}`, { cause });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Misconfigured('This is no answer of a decision listener: it is not JSON. Check the url.', {
      cause,
    });
  }
}

async function readBytes(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > mostBytes) throw new Error('An answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function hintOf({ code }: NodeJS.ErrnoException): string {
  return code === 'ECONNREFUSED'
    ? ' Portcullis does not run there, or has no decision listener: it has one where `decision.secret` (DECISION_SECRET) is set.'
    : '';
}

function explain({ origin, pathname }: URL, status: number | undefined): Error {
  if (status === 401)
    return new Misconfigured(
      `${origin} refuses the secret. Give the guard the value of \`decision.secret\`.`,
    );
  if (status === 404 && pathname.startsWith(guardPartsPath))
    return new Error(`${origin} no longer has this part of the snapshot.`);
  if (status === 404)
    return new Misconfigured(
      `${origin} is no decision listener of this version: it has no ${pathname}. Check its port, and that Portcullis is not older than this guard.`,
    );
  return new Error(`${origin} answers ${pathname} with ${status}.`);
}
