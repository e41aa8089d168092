// The key file of a service account: the account, the audience, and the private key.
import { ClientError } from '../client-error.ts';

export interface MachineKey {
  /** The username of the service account. */
  readonly account: string;
  /** Exactly the setting `serviceAccount.audience` of the service. */
  readonly audience: string;
  /** A private key of P-256 or Ed25519, as JWK or as PEM (PKCS 8). The program never sends it. */
  readonly privateKey: Readonly<Record<string, unknown>> | string;
}

/**
 * Parses the file that `portcullis service-keys new` writes.
 * @example const key = parseMachineKey(await readFile('/run/secrets/portcullis-key.json', 'utf8'));
 */
export function parseMachineKey(text: string): MachineKey {
  const { account, audience, privateKey }: Record<string, unknown> = readRecord(text);
  const isKey = typeof privateKey === 'string' || (typeof privateKey === 'object' && privateKey !== null);
  if (typeof account !== 'string' || typeof audience !== 'string' || !isKey)
    throw new ClientError(
      'invalid',
      {},
      'This is not a key of a service account. `portcullis service-keys new` creates one.',
    );
  return { account, audience, privateKey: privateKey as MachineKey['privateKey'] };
}

function readRecord(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
