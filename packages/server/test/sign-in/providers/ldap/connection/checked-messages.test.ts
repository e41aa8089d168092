// Which messages of a directory are handed on: those that can be read in one way, with the one control that was asked for.
import { describe, expect, it } from 'vitest';
import { createMessageReader } from '../../../../../src/sign-in/providers/ldap/connection/checked-messages.ts';

/** An element of BER with a short length. */
const ber = (tag: number, ...parts: readonly (Buffer | string)[]) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
};
const int = (...bytes: readonly number[]) => ber(0x02, Buffer.from(bytes));
const text = (value: string) => ber(0x04, value);
const sequence = (...parts: readonly Buffer[]) => ber(0x30, ...parts);
const attribute = (...more: readonly Buffer[]) => sequence(text('uid'), ber(0x31, text('mei')), ...more);
const entry = (...more: readonly Buffer[]) => ber(0x64, text('dn'), sequence(attribute()), ...more);
const done = (...more: readonly Buffer[]) => ber(0x65, ber(0x0a, '\u0000'), text(''), text(''), ...more);
const bound = (...more: readonly Buffer[]) => ber(0x61, ber(0x0a, '\u0000'), text(''), text(''), ...more);
const message = (operation: Buffer, ...more: readonly Buffer[]) => sequence(int(1), operation, ...more);
const pagedOid = '1.2.840.113556.1.4.319';
const paging = (...parts: readonly Buffer[]) => ber(0x04, sequence(...parts));
const control = (...parts: readonly Buffer[]) => ber(0xa0, sequence(...parts));
const page = paging(int(0), text('next'));

const read = (bytes: Buffer, most = 100_000) => createMessageReader(most).take(bytes);

describe('passes on:', () => {
  it.each<[string, Buffer]>([
    ['an entry', message(entry())],
    ['an entry without attributes', message(ber(0x64, text('dn'), sequence()))],
    ['a reference', message(ber(0x73, text('ldap://elsewhere')))],
    ['the end of a search', message(done())],
    ['the result of a bind', message(bound())],
    ['the result of a bind with what SASL would go on with', message(bound(ber(0x87, 'x')))],
    ['an id of four bytes', sequence(int(1, 2, 3, 4), done())],
  ])('%s', (_what, bytes) => {
    expect(read(bytes)).toHaveLength(1);
  });

  it('the control of pages, and no other', () => {
    const plain = read(message(done()))[0]?.length ?? 0;
    const lengthWith = (...controls: readonly Buffer[]) =>
      read(message(done(), ber(0xa0, ...controls)))[0]?.length;
    const paged = sequence(text(pagedOid), page);
    const critical = sequence(text(pagedOid), ber(0x01, '\u0000'), page);
    expect(lengthWith(paged)).toBe(plain + 6 + paged.length);
    expect(lengthWith(critical)).toBe(plain + 6 + critical.length);
    expect(lengthWith(sequence(text('1.2.3'), page), paged)).toBe(plain + 6 + paged.length);
    expect(lengthWith(sequence(text('1.2.3')))).toBe(plain);
  });
});

describe('refuses as unreadable:', () => {
  it.each<[string, Buffer]>([
    ['what is no sequence', ber(0x31, int(1), done())],
    ['a message without an id', sequence(done())],
    ['an id that is no number', sequence(text('1'), done())],
    ['an id of five bytes', sequence(int(1, 2, 3, 4, 5), done())],
    ['a message without an operation', sequence(int(1))],
    ['a message with more behind its controls', message(done(), control(text('1.2.3')), text('x'))],
    ['an operation that is not known', message(ber(0x78))],
    ['an entry whose name is no text', message(ber(0x64, int(1), sequence()))],
    ['an entry without attributes’ list', message(ber(0x64, text('dn')))],
    ['an entry with a third part', message(entry(text('x')))],
    ['an attribute that is no sequence', message(ber(0x64, text('dn'), sequence(text('uid'))))],
    ['an attribute with a third part', message(ber(0x64, text('dn'), sequence(attribute(text('x')))))],
    ['an attribute without values', message(ber(0x64, text('dn'), sequence(sequence(text('uid')))))],
    [
      'a value that is no text',
      message(ber(0x64, text('dn'), sequence(sequence(text('uid'), ber(0x31, int(1)))))),
    ],
    ['a reference that is no text', message(ber(0x73, int(1)))],
    ['a result without a code', message(ber(0x65, text(''), text('')))],
    ['a result with a code of two bytes', message(ber(0x65, ber(0x0a, '\u0000\u0000'), text(''), text('')))],
    ['a result without its texts', message(ber(0x65, ber(0x0a, '\u0000')))],
    ['a result with another part', message(done(text('x')))],
    ['a result with more behind what SASL goes on with', message(bound(ber(0x87, 'x'), ber(0x87, 'x')))],
    ['controls under another tag', message(done(), sequence())],
    ['a control that is no sequence', message(done(), ber(0xa0, text('x')))],
    ['a page without a value', message(done(), control(text(pagedOid)))],
    [
      'a page with a size of five bytes',
      message(done(), control(text(pagedOid), paging(int(1, 2, 3, 4, 5), text('')))),
    ],
    ['a page without a cookie', message(done(), control(text(pagedOid), paging(int(0))))],
    [
      'a page with a third part',
      message(done(), control(text(pagedOid), paging(int(0), text(''), text('')))),
    ],
    ['a page with more behind its value', message(done(), control(text(pagedOid), page, text('')))],
    ['a length without an end', Buffer.from([0x30, 0x80, 0, 0])],
    ['a length of five bytes', Buffer.from([0x30, 0x85, 0, 0, 0, 0, 1])],
    ['a length that leads out of its message', sequence(Buffer.from([0x02, 0x05, 1]))],
  ])('%s', (_what, bytes) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ reason: 'unreadable' }));
  });
});

it('refuses a referral as such', () => {
  expect(() => read(message(done(ber(0xa3, text('ldap://elsewhere')))))).toThrow(
    expect.objectContaining({ reason: 'referral' }),
  );
});

it('puts messages together that come in pieces, and takes apart those that come at once', () => {
  const [first, second] = [message(entry()), message(done())];
  const reader = createMessageReader(1000);
  const all = Buffer.concat([first, second]);
  const counts = [...all].map((byte) => reader.take(Buffer.from([byte])).length);
  expect(counts.flatMap((count, at) => (count === 0 ? [] : [[at + 1, count]]))).toEqual([
    [first.length, 1],
    [all.length, 1],
  ]);
  expect(createMessageReader(1000).take(all)).toHaveLength(2);
  const long = message(ber(0x73, ...Array.from({ length: 3 }, () => text('x'.repeat(20)))));
  const other = createMessageReader(1000);
  expect(other.take(Buffer.concat([first, long.subarray(0, 10)]))).toHaveLength(1);
  expect(other.take(long.subarray(10))).toHaveLength(1);
});

it('accepts data up to its limit, and no more', () => {
  const bytes = message(done());
  expect(read(bytes, bytes.length)).toHaveLength(1);
  const isTooMuch = expect.objectContaining({ reason: 'too_much' });
  expect(() => read(bytes, bytes.length - 1)).toThrow(isTooMuch);
  // By its length alone, before it has come.
  expect(() => read(Buffer.from([0x30, 0x82, 0x01, 0x00]), 100)).toThrow(isTooMuch);
  const reader = createMessageReader(2 * bytes.length);
  reader.take(bytes);
  reader.take(bytes);
  expect(() => reader.take(bytes)).toThrow(isTooMuch);
});
