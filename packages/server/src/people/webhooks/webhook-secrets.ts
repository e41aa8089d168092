// The secrets of webhooks: sealed with the master key, bound to their hook, and shown once. With them events are signed as
// Standard Webhooks has it.
import { createHmac } from 'node:crypto';
import { seal, unsealWithAny } from '../../base/secrets/encryption.ts';
import type { Store } from '../../cluster/store/store.ts';
import { replaceSealedSecrets } from './webhook-store.ts';

const prefix = 'whsec_';
const secretBytes = 32;

/** @example drawSecret(randomBytes) // { secret: <32 bytes>, shown: 'whsec_...' } */
export function drawSecret(randomBytes: (size: number) => Buffer): { secret: Buffer; shown: string } {
  const secret = randomBytes(secretBytes);
  return { secret, shown: `${prefix}${secret.toString('base64')}` };
}

export interface HookSecrets {
  seal(hookId: number, secret: Buffer): Buffer;
  /** Undefined where no master key opens it. */
  open(hookId: number, sealed: Buffer): Buffer | undefined;
}

/** The first key seals; the others only open, while the master key is being changed. */
export function createHookSecrets(sealingKeys: readonly [Buffer, ...Buffer[]]): HookSecrets {
  return {
    seal: (hookId, secret) => seal(secret, sealingKeys[0], ownerOf(hookId)),
    open: (hookId, sealed) => unsealWithAny(sealed, sealingKeys, ownerOf(hookId)),
  };
}

/** The change of the master key: how many secrets are sealed with the first key now. */
export async function resealHookSecrets(
  store: Store,
  sealingKeys: readonly [Buffer, ...Buffer[]],
): Promise<number> {
  const secrets = createHookSecrets(sealingKeys);
  return await store.transaction().execute((transaction) =>
    replaceSealedSecrets(transaction, (hookId, sealed) => {
      const secret = secrets.open(hookId, sealed);
      return secret && secrets.seal(hookId, secret);
    }),
  );
}

function ownerOf(hookId: number): string {
  return `secret of webhook ${hookId}`;
}

/** The three headers; a signature for each secret, so that a receiver can change from one to the other. */
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
