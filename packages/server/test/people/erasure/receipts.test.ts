import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isSignedErasureAuthorization,
  referenceOf,
  signErasureAuthorization,
} from '../../../src/people/erasure/erasure-authorization.ts';
import { createNameSpellings } from '../../../src/people/erasure/name-spellings.ts';
import {
  isOfAccount,
  isOwnReceipt,
  type KeptReceipt,
  parseReceipts,
} from '../../../src/people/erasure/receipts.ts';

const [key, previous, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const deployment = randomUUID();
const account = { userId: 7, username: 'mei', createdAt: '1767225600.000001', isDeleted: false };

function receiptBy(signingKey: Buffer, change: Partial<KeptReceipt> = {}): KeptReceipt {
  const reference = referenceOf(signingKey, deployment, account);
  const authorization = { id: randomUUID(), userId: 7, reference, at: new Date('2026-01-01T00:00:00.123Z') };
  return {
    erasure: authorization.id,
    deployment,
    userId: 7,
    reference: reference.toString('hex'),
    at: authorization.at.toISOString(),
    signature: signErasureAuthorization(signingKey, deployment, authorization).toString('hex'),
    ...change,
  };
}

describe('a receipt', () => {
  it('is one of this service where the current or the previous master key signed it', () => {
    expect(isOwnReceipt([key, previous], deployment, receiptBy(key))).toBe(true);
    expect(isOwnReceipt([key, previous], deployment, receiptBy(previous))).toBe(true);
    expect(isOwnReceipt([key, previous], deployment, receiptBy(other))).toBe(false);
  });

  it.each<[string, Partial<KeptReceipt>]>([
    ['another erasure', { erasure: randomUUID() }],
    ['another database', { deployment: randomUUID() }],
    ['another account', { userId: 8 }],
    ['another reference', { reference: '0'.repeat(32) }],
    ['another time', { at: '2026-01-01T00:00:00.124Z' }],
    ['another signature', { signature: '0'.repeat(64) }],
  ])('that names %s than was signed is refused', (_name, change) => {
    expect(isOwnReceipt([key], deployment, receiptBy(key, change))).toBe(false);
  });

  it('of another database is refused by that database too', () => {
    expect(isOwnReceipt([key], randomUUID(), receiptBy(key))).toBe(false);
  });

  it('is of an account by its number, its database and the time of its creation', () => {
    expect(isOfAccount([key, previous], receiptBy(key), account)).toBe(true);
    expect(isOfAccount([key, previous], receiptBy(previous), account)).toBe(true);
    expect(isOfAccount([key], receiptBy(key), { ...account, createdAt: '1767225600.000002' })).toBe(false);
    expect(isOfAccount([key], receiptBy(key), { ...account, userId: 8 })).toBe(false);
    expect(isOfAccount([other], receiptBy(key), account)).toBe(false);
  });

  it('is read alone, in a list or one a line, and beside nothing else', () => {
    const [first, second] = [receiptBy(key), receiptBy(key)];
    expect(parseReceipts(JSON.stringify(first))).toEqual([first]);
    expect(parseReceipts(JSON.stringify([first, second]))).toEqual([first, second]);
    expect(parseReceipts(`${JSON.stringify(first)}\n\n${JSON.stringify(second)}\n`)).toEqual([first, second]);
    for (const text of ['null', '7', `${JSON.stringify(first)}\nrubbish`, JSON.stringify([first, {}])])
      expect(parseReceipts(text)).toBeUndefined();
  });
});

it('a mandate is signed by the current or the previous master key', () => {
  const authorization = { id: randomUUID(), userId: 7, reference: randomBytes(16), at: new Date(0) };
  const signedBy = (one: Buffer) => ({
    ...authorization,
    signature: signErasureAuthorization(one, deployment, authorization),
  });
  const isSigned = [key, previous, other].map((one) =>
    isSignedErasureAuthorization([key, previous], deployment, signedBy(one)),
  );
  expect(isSigned).toEqual([true, true, false]);
});

it('derives every spelling of a name, under the current and the previous name key', () => {
  const namesOf = createNameSpellings([(name) => `current ${name}`, (name) => `previous ${name}`]);
  const typed = ['Mei.L', 'mei.l', 'MEI.L'];
  expect(new Set(namesOf('Mei.L'))).toEqual(
    new Set(['', 'current ', 'previous '].flatMap((by) => [...typed, 'Mei.l'].map((name) => by + name))),
  );
});
