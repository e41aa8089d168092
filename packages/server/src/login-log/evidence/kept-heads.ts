// How far all chains reach, as a text to be kept where the database is not: what it knows of cannot be cut off there.
import { createHmac } from 'node:crypto';
import { compileSchema } from '@portcullis/gate';
import { type Static, Type } from 'typebox';
import type { Link } from '../chain.ts';

export interface KeptHeads {
  /** Records without a chain, of which there can be no more later. */
  readonly unchained: number;
  readonly heads: readonly (Link & { readonly chain: string })[];
}

const format = 'portcullis login log heads 1';

const Content = Type.Object({
  format: Type.Literal(format),
  at: Type.String(),
  unchained: Type.Integer(),
  heads: Type.Array(
    Type.Object({
      chain: Type.String(),
      seq: Type.Integer(),
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
  signature: Type.String(),
});
type Content = Static<typeof Content>;

export function writeKeptHeads(key: Buffer, { unchained, heads }: KeptHeads, at: Date): string {
  const content = {
    format,
    at: at.toISOString(),
    unchained,
    heads: heads.map(({ chain, seq, hash }) => ({ chain, seq, hash: hash.toString('hex') })),
  } as const;
  return `${JSON.stringify({ ...content, signature: sign(key, content) }, null, 1)}\n`;
}

/** Undefined where the text is not what one of the keys signed. */
export function parseKeptHeads(keys: readonly Buffer[], text: string): KeptHeads | undefined {
  const content = parse(text);
  if (content === undefined || !keys.some((key) => sign(key, content) === content.signature))
    return undefined;
  const heads = content.heads.map((head) => ({ ...head, hash: Buffer.from(head.hash, 'hex') }));
  return { unchained: content.unchained, heads };
}

function sign(key: Buffer, { at, unchained, heads }: Omit<Content, 'signature'>): string {
  const values = [format, at, unchained, ...heads.map(({ chain, seq, hash }) => [chain, seq, hash])];
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('hex');
}

function parse(text: string): Content | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return compileSchema(Content)(content) ? content : undefined;
  } catch {
    return undefined;
  }
}
