// Sends one webhook event over HTTP(S), with an SSRF guard: resolves the host name once, checks all its addresses, connects only to
// these, and checks the address of the open socket again. It follows no redirect, and neither a slow nor a long answer blocks it.
import { lookup as lookUpName } from 'node:dns/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { AllowedAddresses } from '../../base/values/allowed-addresses.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/** The receiver did not accept the event. Administrators see the message. */
export class DeliveryError extends Error {}

/** Resolves when the receiver has accepted the event, that is answered 2xx; otherwise rejects with `DeliveryError`. */
export type SendEvent = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<void>;

export interface Address {
  readonly address: string;
  readonly family: number;
}

interface PostOptions {
  readonly addresses: AllowedAddresses;
  /** DNS lookup: all addresses of a host name. */
  readonly resolve?: (name: string) => Promise<readonly Address[]>;
  readonly monotonic?: () => number;
  readonly timeoutMilliseconds?: number;
}

export const postMilliseconds = 5000;
/** This much of an answer is read, so that the connection can be reused; a longer answer is cut off. */
const mostAnswerBytes = 16_384;
const mostHeaderBytes = 16_384;
/** How long a DNS answer is cached. */
const knownMilliseconds = 5000;
const sockets = { keepAlive: true, maxSockets: 8, maxFreeSockets: 4, timeout: 15_000 };

export function createSendEvent(options: PostOptions): { post: SendEvent; close: () => void } {
  const { addresses, timeoutMilliseconds = postMilliseconds } = options;
  const agents = { 'http:': new HttpAgent(sockets), 'https:': new HttpsAgent(sockets) };
  const lookup = createCheckedLookup(options);

  async function post(text: string, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
    const url = parseWebhookUrl(text, addresses);
    if (url === undefined) throw new DeliveryError('the settings do not let events go there');
    const isPlain = url.protocol === 'http:';
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const status = await new Promise<number>((resolve, reject) => {
      const send = isPlain ? httpRequest : httpsRequest;
      const request = send(url, {
        method: 'POST',
        agent: agents[isPlain ? 'http:' : 'https:'],
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'Portcullis',
        },
        lookup,
        signal,
        maxHeaderSize: mostHeaderBytes,
      });
      request.on('socket', (socket) => checkPeer(socket, isPlain));
      request.on('response', (response) => {
        resolve(response.statusCode ?? 0);
        drain(response);
      });
      request.on('error', reject);
      request.end(body);
    }).catch((error: unknown) => {
      throw deliveryErrorOf(error, signal, timeoutMilliseconds);
    });
    if (status < 200 || status > 299)
      throw new DeliveryError(
        status >= 300 && status < 400
          ? `answered ${status}; redirects are not followed`
          : `answered ${status}`,
      );
  }

  /** Checks the address of the socket itself: no event is sent to an address that is not allowed, however it was chosen. */
  function checkPeer(socket: Socket, isPlain: boolean): void {
    const check = () => {
      const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
      const isAllowed = isPlain ? addresses.hasLoopback(peer) : addresses.has(peer);
      if (!isAllowed) socket.destroy(new DeliveryError(`${peer} is not allowed by the settings`));
    };
    if (socket.connecting) socket.once('connect', check);
    else check();
  }

  return {
    post,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Reads the rest of the answer. Cuts it off if it is too long, or still incomplete at the timeout. */
function drain(response: IncomingMessage): void {
  let read = 0;
  response.on('data', (piece: Buffer) => {
    read += piece.length;
    if (read > mostAnswerBytes) response.destroy();
  });
  response.on('error', () => {});
}

function deliveryErrorOf(error: unknown, signal: AbortSignal, milliseconds: number): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (signal.aborted) return new DeliveryError(`no answer within ${milliseconds / 1000} s`);
  const { code, message } = error as NodeJS.ErrnoException;
  return new DeliveryError(code ?? message);
}

/**
 * DNS lookup that checks the addresses, one name at a time: a lookup occupies one of the threads that also hash passwords, and a
 * name server that hangs must not occupy them all.
 */
function createCheckedLookup({
  addresses,
  resolve = (name) => lookUpName(name, { all: true }),
  monotonic = () => performance.now(),
}: PostOptions): LookupFunction {
  const known = new Map<string, { readonly at: number; readonly found: Promise<readonly Address[]> }>();
  let last: Promise<unknown> = Promise.resolve();

  function find(name: string): Promise<readonly Address[]> {
    const before = known.get(name);
    if (before !== undefined && monotonic() - before.at < knownMilliseconds) return before.found;
    const found = last.then(() => resolve(name)).then((all) => checked(name, all));
    last = found.catch(() => {});
    known.set(name, { at: monotonic(), found });
    found.catch(() => known.delete(name));
    return found;
  }

  function checked(name: string, all: readonly Address[]): readonly Address[] {
    const refused = addresses.findRefused(all);
    if (refused !== undefined)
      throw new DeliveryError(`${name} is ${refused}, which the settings do not allow`);
    if (all.length === 0) throw new DeliveryError(`${name} has no address`);
    return all;
  }

  return (name, { all }, callback) => {
    find(name).then(
      (found) => {
        const [first = { address: '', family: 0 }] = found;
        if (all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}
