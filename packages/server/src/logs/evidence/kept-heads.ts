// Export format of the signed heads of both logs, for keeping them outside the database: records up to a kept head cannot be cut
// off unnoticed. It holds numbers, hashes and a time, and no content of records.
import { createHmac } from 'node:crypto';
import { compileSchema } from '@portcullis/gate';
import { type Static, Type } from 'typebox';
import type { AuditChainPosition } from '../audit/audit-chain.ts';
import type { ChainPosition } from '../login-log/chain.ts';

export interface KeptHeads {
  /** Records without a chain; their number cannot grow. */
  readonly unchained: number;
  readonly heads: readonly (ChainPosition & { readonly chain: string })[];
  /** The end of the audit log: several when several texts were kept. Missing where only the login log is checked. */
  readonly audit?: readonly AuditChainPosition[];
}

/** The content of one text. */
export interface KeptText extends KeptHeads {
  readonly at: string;
  readonly deployment: string;
}

/** A text of another format is refused. */
const format = 'portcullis log heads 2';

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Content = Type.Object({
  format: Type.Literal(format),
  at: Type.String(),
  deployment: Type.String(),
  unchained: Type.Integer(),
  heads: Type.Array(Type.Object({ chain: Type.String(), seq: Type.Integer(), hash: Hash })),
  audit: Type.Object({ seq: Type.Integer(), hash: Hash }),
  signature: Type.String(),
});
type Content = Static<typeof Content>;

interface Reached extends Omit<KeptHeads, 'audit'> {
  readonly deployment: string;
  readonly audit: AuditChainPosition;
}

export function writeKeptHeads(
  key: Buffer,
  { deployment, unchained, heads, audit }: Reached,
  at: Date,
): string {
  const content: Omit<Content, 'signature'> = {
    format,
    at: at.toISOString(),
    deployment,
    unchained,
    heads: heads.map(({ chain, seq, hash }) => ({ chain, seq, hash: hash.toString('hex') })),
    audit: { seq: audit.seq, hash: audit.hash.toString('hex') },
  };
  return `${JSON.stringify({ ...content, signature: sign(key, content) }, null, 1)}\n`;
}

/** Undefined when none of the keys signed the text. */
export function parseKeptHeads(keys: readonly Buffer[], text: string): KeptText | undefined {
  const content = parse(text);
  if (content === undefined || !keys.some((key) => sign(key, content) === content.signature))
    return undefined;
  const { at, unchained, deployment, audit } = content;
  return {
    at,
    deployment,
    unchained,
    heads: content.heads.map(readHash),
    audit: [readHash(audit)],
  };
}

/** Merges several texts; undefined without any. */
export function mergeKeptHeads(texts: readonly KeptHeads[]): KeptHeads | undefined {
  if (texts.length === 0) return undefined;
  const furthest = new Map<string, KeptHeads['heads'][number]>();
  for (const head of texts.flatMap(({ heads }) => heads))
    if (head.seq > (furthest.get(head.chain)?.seq ?? -1)) furthest.set(head.chain, head);
  // The audit log grows rarely, so most texts have the same end.
  const ends = new Map(
    texts.flatMap(({ audit = [] }) => audit).map((end) => [`${end.seq} ${end.hash.toString('hex')}`, end]),
  );
  return {
    unchained: Math.min(...texts.map(({ unchained }) => unchained)),
    heads: [...furthest.values()],
    audit: [...ends.values()],
  };
}

function readHash<T extends { readonly hash: string }>(head: T): Omit<T, 'hash'> & { hash: Buffer } {
  return { ...head, hash: Buffer.from(head.hash, 'hex') };
}

function sign(key: Buffer, content: Omit<Content, 'signature'>): string {
  const { at, deployment, unchained, heads, audit } = content;
  const ofChains = [unchained, ...heads.map(({ chain, seq, hash }) => [chain, seq, hash])];
  const values = [format, at, deployment, [audit.seq, audit.hash], ...ofChains];
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
