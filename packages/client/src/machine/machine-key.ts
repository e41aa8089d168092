// The key of a service account, as a program has it: whose it is, for which service, and its private part.
import { ClientError } from '../client-error.ts';

export interface MachineKey {
  /** The username of the service account. */
  readonly account: string;
  /** `machine.audience` of the service, letter by letter. */
  readonly audience: string;
  /** A JWK of P-256 or Ed25519, or the same as PEM (PKCS 8). It never leaves the program. */
  readonly privateKey: Readonly<Record<string, unknown>> | string;
}

/**
 * Of the file that `portcullis key new` writes.
 * @example const key = parseMachineKey(await readFile('/run/secrets/portcullis-key.json', 'utf8'));
 */
export function parseMachineKey(text: string): MachineKey {
  const { account, audience, privateKey }: Record<string, unknown> = readRecord(text);
  const isKey = typeof privateKey === 'string' || (typeof privateKey === 'object' && privateKey !== null);
  if (typeof account !== 'string' || typeof audience !== 'string' || !isKey)
    throw new ClientError(
      'invalid',
      {},
      'This is no key of a service account: `portcullis key new` makes one.',
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
