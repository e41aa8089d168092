// Parses and builds messages of the Postgres wire protocol, as far as the demo needs them: the boundaries of messages,
// and the names of prepared statements.

/** A complete message: its type, four bytes of length, its content. */
export interface WireMessage {
  readonly type: string;
  readonly bytes: Buffer;
}

const headBytes = 5;

/** Splits bytes into complete messages and an incomplete rest. Throws if the bytes cannot be messages. */
export function splitMessages(bytes: Buffer): { readonly messages: WireMessage[]; readonly rest: Buffer } {
  const messages: WireMessage[] = [];
  let at = 0;
  while (bytes.length - at >= headBytes) {
    const length = bytes.readInt32BE(at + 1);
    if (length < headBytes - 1) throw new RangeError('The length of a message counts itself.');
    const end = at + 1 + length;
    if (end > bytes.length) break;
    messages.push({ type: String.fromCharCode(bytes[at] ?? 0), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

/** @example createMessage('Q', 'rollback\0') */
export function createMessage(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(headBytes);
  head.write(type, 'latin1');
  head.writeInt32BE(content.length + headBytes - 1, 1);
  return Buffer.concat([head, content]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/**
 * Renames the prepared statement in a message. Messages on the unnamed statement and all other messages stay unchanged.
 */
export function renameStatement({ type, bytes }: WireMessage, rename: (name: string) => string): Buffer {
  const start = startOfName(type, bytes);
  if (start === undefined) return bytes;
  const end = bytes.indexOf(0, start);
  const name = bytes.toString('utf8', start, end);
  if (name === '') return bytes;
  return createMessage(type, bytes.subarray(headBytes, start), rename(name), bytes.subarray(end));
}

function startOfName(type: string, bytes: Buffer): number | undefined {
  switch (type) {
    // Parse begins with the name of the statement.
    case 'P':
      return headBytes;
    // Bind begins with the name of the portal; the name of the statement follows.
    case 'B':
      return bytes.indexOf(0, headBytes) + 1;
    // Describe and Close begin with a byte that selects a statement or a portal.
    case 'D':
    case 'C':
      return bytes[headBytes] === 'S'.charCodeAt(0) ? headBytes + 1 : undefined;
    default:
      return undefined;
  }
}
