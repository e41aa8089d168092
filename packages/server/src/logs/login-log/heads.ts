// Signs the heads of the login log's chains from time to time: records up to a signed head cannot be cut off unnoticed.
import { type ChainPosition, signLink } from './chain.ts';
import type { ChainedRow } from './login-row.ts';

export interface Heads {
  /** Notes that these records are stored. */
  note(texts: readonly string[]): void;
  /** Writes a head for each chain that has grown. */
  write(): Promise<void>;
}

interface HeadsOptions {
  readonly key: Buffer;
  readonly insert: (head: { chain: string; signature: Buffer } & ChainPosition) => Promise<void>;
}

export function createHeads({ key, insert }: HeadsOptions): Heads {
  const grown = new Map<string, ChainPosition>();
  return {
    note(texts) {
      // No chain continues after another one: when the first and the last record are of one chain, so are all between them.
      const isOneChain = chainOf(texts[0]) === chainOf(texts.at(-1));
      const ends = isOneChain
        ? texts.slice(-1)
        : texts.filter((text, index) => chainOf(text) !== chainOf(texts[index + 1]));
      for (const { chain, seq, hash } of ends.map((text): ChainedRow => JSON.parse(text)))
        grown.set(chain, { seq, hash: Buffer.from(hash.slice(2), 'hex') });
    },
    async write() {
      for (const [chain, link] of grown) {
        await insert({ chain, ...link, signature: signLink(key, chain, link, 'head') });
        if (grown.get(chain) === link) grown.delete(chain);
      }
    },
  };
}

/** Does not parse the text, because it runs for many records. */
function chainOf(text = ''): string {
  const at = text.indexOf('"chain":"');
  return text.slice(at, at + 45);
}
