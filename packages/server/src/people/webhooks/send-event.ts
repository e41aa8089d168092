// Sends one webhook event over HTTP(S). The receiver has accepted the event if its status says so.
import type { AllowedAddresses } from '../../base/outbound/allowed-addresses.ts';
import type { ResolveHost } from '../../base/outbound/host-resolver.ts';
import { createHttpClient } from '../../base/outbound/http-client.ts';
import type { OutboundError } from '../../base/outbound/outbound-error.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/** The receiver did not accept the event. Administrators see the message. */
export class DeliveryError extends Error {}

/** Resolves when the receiver has accepted the event, that is answered 2xx; otherwise rejects with `DeliveryError`. */
export type SendEvent = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<void>;

interface PostOptions {
  readonly addresses: AllowedAddresses;
  readonly resolve: ResolveHost;
  readonly timeoutMilliseconds?: number;
}

export const postMilliseconds = 5000;
/** This much of an answer is read, so that the connection can be reused; a longer answer is cut off. */
const mostAnswerBytes = 16_384;
const sockets = { keepAlive: true, maxSockets: 8, maxFreeSockets: 4, timeout: 15_000 };

export function createSendEvent(options: PostOptions): { post: SendEvent; close: () => void } {
  const { addresses, resolve, timeoutMilliseconds: wholeMilliseconds = postMilliseconds } = options;
  const client = createHttpClient({
    addresses,
    resolve,
    wholeMilliseconds,
    mostBytes: mostAnswerBytes,
    sockets,
  });

  async function post(text: string, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
    const url = parseWebhookUrl(text, addresses);
    if (url === undefined) throw new DeliveryError('the settings do not let events go there');
    const { status } = await client
      .send(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Portcullis' },
        body,
        isStatusEnough: true,
      })
      .catch((error: OutboundError) => {
        throw deliveryErrorOf(error, wholeMilliseconds);
      });
    if (status < 200 || status > 299) throw new DeliveryError(`answered ${status}`);
  }

  return { post, close: client.close };
}

function deliveryErrorOf(error: OutboundError, milliseconds: number): DeliveryError {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return new DeliveryError(
    error.fault === 'timeout' ? `no answer within ${milliseconds / 1000} s` : (code ?? error.message),
  );
}
