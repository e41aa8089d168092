// Calls to the decision listener. Several addresses are tried in turn, beginning with the one that answered last; at first
// with any of them, so that guards spread over the instances.
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
  /** For how long nothing may come before the call is given up. */
  readonly silenceMilliseconds: number;
  /** How long the body may take: as long, unless set. */
  readonly bodyMilliseconds?: number;
}

export interface Http {
  /** The answer, once its headers are there; throws for anything but 200. */
  open(call: Call): Promise<IncomingMessage>;
  json(call: Call): Promise<unknown>;
  bytes(call: Call): Promise<Buffer>;
  /** A line for two ways, once it is open; with every call to the next address. */
  openLine(path: string): Promise<WebSocket>;
  /** How often a call failed at one address and went on to the next. */
  readonly reconnects: number;
  /** Ends what is open, and lets nothing begin any more. */
  close(): void;
}

/** Something is set wrongly: another try would change nothing. */
export class WronglySet extends Error {}

/** Larger answers than this are not ours. */
const mostBytes = 64 * 1024 * 1024;
/** To open one: a guard has seconds to find another instance. */
const lineMilliseconds = 1000;

export function createHttp({ urls, secret }: HttpOptions): Http {
  const agents = { http: new Agent({ keepAlive: true }), https: new TlsAgent({ keepAlive: true }) };
  let current = Math.floor(Math.random() * urls.length);
  let nextLine = current;
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
        // Unless another call has moved on already.
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
    request.on('timeout', () => request.destroy(new Error('it is silent')));
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
    // A body that trickles is never silent, and would hold up everything for good.
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

  async function openLine(path: string): Promise<WebSocket> {
    let failure: unknown;
    for (const _ of urls) {
      if (isClosed) throw new Error('The guard is closed.');
      const url = new URL(path, urls[nextLine % urls.length]);
      nextLine += 1;
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
    const line = new WebSocket(url, {
      headers: { authorization: `Bearer ${secret}` },
      handshakeTimeout: lineMilliseconds,
      perMessageDeflate: false,
      maxPayload: mostBytes,
    });
    line.once('open', () => resolve(line));
    line.once('unexpected-response', (_request, { statusCode }) => {
      line.terminate();
      reject(explain(url, statusCode));
    });
    line.on('error', (cause: NodeJS.ErrnoException) => reject(unreachable(url, cause)));
    return promise;
  }

  return {
    open,
    openLine,
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
    throw new WronglySet('This is no answer of a decision listener: it is not JSON. Check the url.', {
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
    return new WronglySet(`${origin} refuses the secret. Give the guard the value of \`decision.secret\`.`);
  if (status === 404 && pathname.startsWith(guardPartsPath))
    return new Error(`${origin} has no such part of what is to be loaded any more.`);
  if (status === 404)
    return new WronglySet(
      `${origin} is no decision listener of this version: it has no ${pathname}. Check its port, and that Portcullis is not older than this guard.`,
    );
  return new Error(`${origin} answers ${pathname} with ${status}.`);
}
