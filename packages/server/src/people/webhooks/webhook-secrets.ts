// Webhook secrets: generated, shown once, and encrypted with the master key, bound to their webhook. Signs events with HMAC-SHA-256
// according to Standard Webhooks.
import { createHmac } from 'node:crypto';
import { decryptWithAny, encrypt } from '../../base/secrets/encryption.ts';
import type { Store } from '../../cluster/store/store.ts';
import { replaceSealedSecrets } from './webhook-store.ts';

const prefix = 'whsec_';
const secretBytes = 32;

/** @example generateSecret(randomBytes) // { secret: <32 bytes>, shown: 'whsec_...' } */
export function generateSecret(randomBytes: (size: number) => Buffer): { secret: Buffer; shown: string } {
  const secret = randomBytes(secretBytes);
  return { secret, shown: `${prefix}${secret.toString('base64')}` };
}

export interface WebhookSecrets {
  seal(webhookId: number, secret: Buffer): Buffer;
  /** Undefined if no master key decrypts it. */
  open(webhookId: number, sealed: Buffer): Buffer | undefined;
}

/** The first key encrypts; the others only decrypt, while the master key is being changed. */
export function createWebhookSecrets(sealingKeys: readonly [Buffer, ...Buffer[]]): WebhookSecrets {
  return {
    seal: (webhookId, secret) => encrypt(secret, sealingKeys[0], ownerOf(webhookId)),
    open: (webhookId, sealed) => decryptWithAny(sealed, sealingKeys, ownerOf(webhookId)),
  };
}

/** Re-encrypts all secrets with the first key, after a change of the master key. Returns how many. */
export async function resealWebhookSecrets(
  store: Store,
  sealingKeys: readonly [Buffer, ...Buffer[]],
): Promise<number> {
  const secrets = createWebhookSecrets(sealingKeys);
  return await store.transaction().execute((transaction) =>
    replaceSealedSecrets(transaction, (webhookId, sealed) => {
      const secret = secrets.open(webhookId, sealed);
      return secret && secrets.seal(webhookId, secret);
    }),
  );
}

function ownerOf(webhookId: number): string {
  return `secret of webhook ${webhookId}`;
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
