// The change of the master key: what the one of before sealed is sealed with the new one. Every instance must know
// both by then, because each opens the signing key for itself.
import type { Store } from '../../store/store.ts';
import { replaceSealed } from './key-store.ts';
import { seal, unsealWithAny } from './sealing.ts';

interface Resealed {
  readonly resealed: number;
  /** Keys that neither master key opens: of another mode, or of an earlier master key. */
  readonly left: readonly string[];
}

export async function resealKeys(
  store: Store,
  sealingKeys: readonly [Buffer, ...Buffer[]],
): Promise<Resealed> {
  const left: string[] = [];
  const resealed = await store.transaction().execute((transaction) =>
    replaceSealed(transaction, (kid, sealed) => {
      const secret = unsealWithAny(sealed, sealingKeys, kid);
      if (secret !== undefined) return seal(secret, sealingKeys[0], kid);
      left.push(kid);
      return undefined;
    }),
  );
  return { resealed, left };
}
