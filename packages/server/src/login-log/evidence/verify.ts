// Verifies the login log as it stands now, and collects how far its chains reach.
import type { Store } from '../../store/store.ts';
import { signLink } from '../chain.ts';
import { readHeads, type StoredHead } from './head-store.ts';
import type { KeptHeads } from './kept-heads.ts';
import { createVerifier, type Findings } from './verifier.ts';
import { atOneMoment, countUnchained, readRows } from './verify-store.ts';

interface VerifyOptions {
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly kept?: KeptHeads | undefined;
  /** Told from time to time how many records were verified. */
  readonly onProgress?: (records: number) => void;
}

export async function verifyLoginLog(store: Store, options: VerifyOptions): Promise<Findings> {
  const { keys, kept, onProgress } = options;
  return await atOneMoment(store, async (transaction) => {
    const verifier = createVerifier(keys, kept);
    for await (const heads of readHeads(transaction)) for (const head of heads) verifier.takeHead(head);
    let records = 0;
    for await (const rows of readRows(transaction)) {
      for (const row of rows) verifier.takeRow(row);
      records += rows.length;
      onProgress?.(records);
    }
    return verifier.finish();
  });
}

interface CollectedHeads {
  /** The newest signed place of every chain. */
  readonly heads: readonly StoredHead[];
  readonly unchained: number;
  /** Heads that none of the keys signed. */
  readonly strange: number;
}

export async function collectHeads(store: Store, keys: readonly Buffer[]): Promise<CollectedHeads> {
  return await atOneMoment(store, async (transaction) => {
    const newest = new Map<string, StoredHead>();
    let strange = 0;
    for await (const heads of readHeads(transaction))
      for (const head of heads)
        if (isSigned(keys, head)) newest.set(head.chain, head);
        else strange += 1;
    return { heads: [...newest.values()], unchained: await countUnchained(transaction), strange };
  });
}

function isSigned(keys: readonly Buffer[], { chain, checkpoint, signature, ...link }: StoredHead): boolean {
  const kind = checkpoint ? 'checkpoint' : 'head';
  return keys.some((key) => signLink(key, chain, link, kind).equals(signature));
}
