// Validates LDAP messages (BER) from a directory, one by one, before the LDAP library parses them. Only messages that can be
// read in exactly one way pass. The library runs out of memory on a length that exceeds its message, and out of stack on
// thousands of messages in one packet.
import { Buffer } from 'node:buffer';
import { DirectoryUnavailable } from './directory-unavailable.ts';

const tags = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
  bindResult: 0x61,
  searchEntry: 0x64,
  searchDone: 0x65,
  searchReference: 0x73,
  /** In a bind result: the server's SASL credentials. */
  saslCredentials: 0x87,
  controls: 0xa0,
  referral: 0xa3,
} as const;
const pagedResults = '1.2.840.113556.1.4.319';

interface Element {
  readonly tag: number;
  /** With its header. */
  readonly whole: Buffer;
  /** Without its header. */
  readonly content: Buffer;
}

interface MessageReader {
  /** Returns the messages that are complete now. Throws `DirectoryUnavailable` for invalid messages and for too many bytes. */
  take(data: Buffer): Buffer[];
}

export function createMessageReader(mostBytes: number): MessageReader {
  let total = 0;
  let parts: Buffer[] = [];
  let held = 0;
  let wanted = 0;

  return {
    take(data) {
      total += data.length;
      if (total > mostBytes) throw new DirectoryUnavailable('too_much');
      parts.push(data);
      held += data.length;
      // The parts of a long message are joined once, when all of them have arrived.
      if (held < wanted) return [];
      let rest = parts.length === 1 ? data : Buffer.concat(parts);
      const messages: Buffer[] = [];
      for (;;) {
        const header = readHeader(rest);
        wanted = header === undefined ? 0 : header.size + header.length;
        if (wanted > mostBytes) throw new DirectoryUnavailable('too_much');
        if (header === undefined || rest.length < wanted) break;
        messages.push(checkMessage(rest.subarray(0, wanted)));
        rest = rest.subarray(wanted);
      }
      parts = rest.length === 0 ? [] : [rest];
      held = rest.length;
      return messages;
    },
  };
}

/** Returns the message with at most one control: the paged results that the search asked for. */
function checkMessage(message: Buffer): Buffer {
  const [envelope] = readAll(message);
  const [id, operation, controls, more] = readAll(contentOf(envelope, tags.sequence));
  if (id?.tag !== tags.integer || id.content.length > 4 || operation === undefined || more !== undefined)
    refuse();
  checkOperation(operation);
  const paged = controls && findPaged(controls);
  const kept = paged && wrap(tags.controls, paged.whole);
  return wrap(tags.sequence, Buffer.concat([id.whole, operation.whole, ...(kept ? [kept] : [])]));
}

function checkOperation({ tag, content }: Element): void {
  switch (tag) {
    case tags.searchEntry: {
      const [name, attributes, more] = readAll(content);
      contentOf(name, tags.octets);
      for (const attribute of readAll(contentOf(attributes, tags.sequence))) checkAttribute(attribute);
      if (more !== undefined) refuse();
      return;
    }
    case tags.searchReference:
      for (const url of readAll(content)) contentOf(url, tags.octets);
      return;
    case tags.bindResult:
    case tags.searchDone: {
      const [code, matched, text, rest, more] = readAll(content);
      if (contentOf(code, tags.enumerated).length !== 1) refuse();
      contentOf(matched, tags.octets);
      contentOf(text, tags.octets);
      if (rest?.tag === tags.referral) throw new DirectoryUnavailable('referral');
      if ((rest !== undefined && rest.tag !== tags.saslCredentials) || more !== undefined) refuse();
      return;
    }
    default:
      refuse();
  }
}

function checkAttribute(attribute: Element): void {
  const [type, values, more] = readAll(contentOf(attribute, tags.sequence));
  contentOf(type, tags.octets);
  for (const value of readAll(contentOf(values, tags.set))) contentOf(value, tags.octets);
  if (more !== undefined) refuse();
}

function findPaged(controls: Element): Element | undefined {
  return readAll(contentOf(controls, tags.controls)).find((control) => {
    const [oid, ...rest] = readAll(contentOf(control, tags.sequence));
    if (contentOf(oid, tags.octets).toString('latin1') !== pagedResults) return false;
    const [value, more] = rest[0]?.tag === tags.boolean ? rest.slice(1) : rest;
    const [size, cookie, third] = readAll(
      contentOf(readAll(contentOf(value, tags.octets))[0], tags.sequence),
    );
    if (contentOf(size, tags.integer).length > 4 || third !== undefined || more !== undefined) refuse();
    contentOf(cookie, tags.octets);
    return true;
  });
}

/** Reads all elements. They must fill the bytes exactly. */
function readAll(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const header = readHeader(rest);
    if (header === undefined || rest.length < header.size + header.length) refuse();
    const end = header.size + header.length;
    elements.push({
      tag: rest[0] ?? 0,
      whole: rest.subarray(0, end),
      content: rest.subarray(header.size, end),
    });
    rest = rest.subarray(end);
  }
  return elements;
}

/** Undefined while the header is incomplete. */
function readHeader(bytes: Buffer): { readonly size: number; readonly length: number } | undefined {
  const first = bytes[1];
  if (first === undefined) return undefined;
  if (first < 0x80) return { size: 2, length: first };
  const size = first & 0x7f;
  if (size === 0 || size > 4) refuse();
  return bytes.length < 2 + size ? undefined : { size: 2 + size, length: bytes.readUIntBE(2, size) };
}

function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element === undefined || element.tag !== tag) refuse();
  return element.content;
}

function wrap(tag: number, content: Buffer): Buffer {
  const header = Buffer.alloc(6);
  header.writeUInt8(tag);
  header.writeUInt8(0x84, 1);
  header.writeUInt32BE(content.length, 2);
  return Buffer.concat([header, content]);
}

function refuse(): never {
  throw new DirectoryUnavailable('unreadable');
}
