// The HTTP client for requests to other services: only addresses that the SSRF guard allows, no redirects, and limits on the time
// and on the size of an answer.
import {
  type AgentOptions,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type ConnectionCheckOptions, createConnectionCheck } from './checked-connection.ts';
import { OutboundError } from './outbound-error.ts';

interface HttpClientOptions extends ConnectionCheckOptions {
  /** The connection with TLS; without it, only the whole time is limited. */
  readonly connectMilliseconds?: number;
  /** From the DNS lookup to the last byte of the answer. */
  readonly wholeMilliseconds: number;
  readonly mostBytes: number;
  readonly sockets?: AgentOptions;
  /** The certificate authorities to trust, instead of Node's default ones. */
  readonly authorities?: readonly string[] | undefined;
}

export interface OutboundRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
  /** The status decides: an answer that is too long, or too slow after its status, is cut off and no error. */
  readonly isStatusEnough?: boolean;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpClient {
  /** Rejects with `OutboundError`, and nothing else. `http:` is allowed to loopback addresses only. */
  send(url: URL, request: OutboundRequest): Promise<OutboundAnswer>;
  close(): void;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { connectMilliseconds, wholeMilliseconds, mostBytes, sockets, authorities } = options;
  const agents = { plain: new HttpAgent(sockets), tls: new HttpsAgent(sockets) };
  const { lookup, checkHost, checkPeer } = createConnectionCheck(options);

  async function attempt(
    url: URL,
    { method = 'GET', headers = {}, body, signal, isStatusEnough = false }: OutboundRequest,
  ): Promise<OutboundAnswer> {
    const isPlain = url.protocol === 'http:';
    checkHost(url.hostname.replace(/^\[|\]$/g, ''), isPlain);
    return await new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        outgoing.destroy();
        reject(error);
      };
      const outgoing = (isPlain ? httpRequest : httpsRequest)(url, {
        agent: isPlain ? agents.plain : agents.tls,
        method,
        headers,
        lookup,
        ...(signal && { signal }),
        ...(authorities && { ca: [...authorities] }),
      });
      const whole = setTimeout(() => fail(late('answer', 'timeout')), wholeMilliseconds);
      const connecting =
        connectMilliseconds &&
        setTimeout(() => fail(late('connection', 'connect_timeout')), connectMilliseconds);
      outgoing.on('socket', (socket) => {
        checkPeer(socket, isPlain);
        if (!socket.connecting) clearTimeout(connecting);
        else socket.once(isPlain ? 'connect' : 'secureConnect', () => clearTimeout(connecting));
      });
      outgoing.on('close', () => {
        clearTimeout(connecting);
        clearTimeout(whole);
      });
      outgoing.on('error', fail);
      outgoing.on('response', (incoming) => {
        const { statusCode: status = 0 } = incoming;
        if (status >= 300 && status < 400)
          return fail(new OutboundError('redirect', `answered ${status}; redirects are not followed`));
        const pieces: Buffer[] = [];
        let bytes = 0;
        const end = () => resolve({ status, headers: incoming.headers, body: Buffer.concat(pieces) });
        if (isStatusEnough) end();
        incoming.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > mostBytes) fail(new OutboundError('too_large', 'its answer is too large'));
          else pieces.push(piece);
        });
        incoming.on('error', fail);
        incoming.on('end', end);
      });
      outgoing.end(body);
    });
  }

  return {
    send: (url, request) =>
      attempt(url, request).catch((error: Error) => {
        if (error instanceof OutboundError) throw error;
        throw new OutboundError('failed', error.message, { cause: error });
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function late(what: string, fault: 'timeout' | 'connect_timeout'): OutboundError {
  return new OutboundError(fault, `no ${what} in time`);
}
