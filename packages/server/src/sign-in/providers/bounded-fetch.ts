// `fetch` for requests to providers: https only, no redirects, only addresses that the SSRF guard allows, and limits on the time
// and the size of an answer. Libraries that send requests to a provider use it too.
import { Agent, request } from 'node:https';
import { ProviderUnavailable } from './provider-unavailable.ts';
import type { SsrfGuard } from './ssrf-guard.ts';

export interface BoundedFetchOptions {
  readonly network: SsrfGuard;
  /** The certificate authorities to trust, instead of Node's default ones. */
  readonly authorities?: readonly string[] | undefined;
}

interface Asked {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export type BoundedFetch = ((url: string, asked: Asked) => Promise<Response>) & { close(): void };

const connectMilliseconds = 1500;
const wholeMilliseconds = 3000;
/** Ten times the size of the keys and the discovery document of Microsoft Entra ID together. */
const mostBytes = 256 * 1024;

export function createBoundedFetch({ network, authorities }: BoundedFetchOptions): BoundedFetch {
  const { lookup, checkHost } = network;
  const agent = new Agent({ keepAlive: true, maxSockets: 32, maxFreeSockets: 4, timeout: wholeMilliseconds });

  async function boundedFetch(address: string, { method = 'GET', headers = {}, body }: Asked) {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new ProviderUnavailable(`${url.origin} is not https.`);
    checkHost(url.hostname);
    return await new Promise<Response>((resolve, reject) => {
      const fail = (reason: string, cause?: unknown) => {
        outgoing.destroy();
        const isOurs = cause instanceof ProviderUnavailable;
        reject(isOurs ? cause : new ProviderUnavailable(`${url.host}: ${reason}`, { cause }));
      };
      const outgoing = request(url, {
        agent,
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        lookup,
        ...(authorities === undefined ? {} : { ca: [...authorities] }),
      });
      const connecting = setTimeout(() => fail('no connection in time'), connectMilliseconds);
      const whole = setTimeout(() => fail('no answer in time'), wholeMilliseconds);
      const settle = () => {
        clearTimeout(connecting);
        clearTimeout(whole);
      };
      outgoing.on('socket', (socket) => {
        if (!socket.connecting) clearTimeout(connecting);
        socket.once('secureConnect', () => clearTimeout(connecting));
      });
      outgoing.on('close', settle);
      outgoing.on('error', (error) => fail(error.message, error));
      outgoing.on('response', (incoming) => {
        const { statusCode: status = 0 } = incoming;
        if (status >= 300 && status < 400) return fail('it sends us elsewhere, and we do not follow');
        if (status >= 500 || status < 200) return fail(`HTTP ${status}`);
        const pieces: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > mostBytes) fail('its answer is too large');
          else pieces.push(piece);
        });
        incoming.on('error', (error) => fail(error.message, error));
        incoming.on('end', () => {
          const type = incoming.headers['content-type'];
          const challenge = incoming.headers['www-authenticate'];
          const kept = {
            ...(type === undefined ? {} : { 'content-type': type }),
            ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
          };
          const content = status === 204 ? null : Buffer.concat(pieces);
          resolve(new Response(content, { status, headers: kept }));
        });
      });
      outgoing.end(body);
    });
  }
  return Object.assign(boundedFetch, { close: () => agent.destroy() });
}
