// Webhook secrets: generated, and shown once. Signs events with HMAC-SHA-256 according to Standard Webhooks.
import { createHmac } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** @example generateSecret(randomBytes) // { secret: <32 bytes>, shown: 'whsec_...' } */
export function generateSecret(randomBytes: (size: number) => Buffer): { secret: Buffer; shown: string } {
  const secret = randomBytes(secretBytes);
  return { secret, shown: `${prefix}${secret.toString('base64')}` };
}

/** The three headers of Standard Webhooks, with a signature for each secret, so that a receiver can switch between them. */
export function signedHeaders(
  { id, body, at }: { readonly id: string; readonly body: string; readonly at: Date },
  secrets: readonly Buffer[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const signed = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signed}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
