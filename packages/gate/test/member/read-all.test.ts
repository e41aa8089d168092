// What one memory gives to another: everything that decides a request.
import { createHash } from 'node:crypto';
import { listRoles, listRules } from '@portcullis/policy';
import { expect, it } from 'vitest';
import type { Change, PublicJwk } from '../../src/access/change.ts';
import { createCurrentRules } from '../../src/access/current-rules.ts';
import type { ReadableReplica, Replica } from '../../src/access/follower.ts';
import { createRevocations } from '../../src/access/revocations.ts';
import { createRoles } from '../../src/access/roles.ts';
import type { SnapshotRecord } from '../../src/access/snapshot-record.ts';
import { createVerifyingKeys } from '../../src/token/verifying-keys.ts';
import { createTestKeys } from '../test-keys.ts';

const now = Date.now();
const publicJwk = createTestKeys().publicKey.export({ format: 'jwk' }) as PublicJwk;
const jti = (number: number) =>
  createHash('sha256').update(String(number)).digest().subarray(0, 16).toString('base64url');
const hour = Math.ceil(now / 1000) + 3600;

function copy<R extends ReadableReplica>(from: R, to: R): { to: R; pieces: SnapshotRecord[] } {
  const pieces = [...from.snapshotRecords()];
  const loading = to.load();
  // As they are sent.
  for (const piece of pieces) loading.take(JSON.parse(JSON.stringify(piece)) as SnapshotRecord);
  loading.finish(7)();
  return { to, pieces };
}

function apply(replica: Replica, changes: readonly Change[]): void {
  replica.apply(changes, 6);
}

it('rules, those without an end and those with one', () => {
  const rules = createCurrentRules(
    () => {},
    () => 0,
  );
  const rule = (roleKey: string, path: string) => ({ roleKey, method: 'GET', path });
  apply(rules, [
    { kind: 'rule_added', ...rule('clerk', '/orders/:id') },
    { kind: 'rule_added', ...rule('clerk', '/orders') },
    { kind: 'rule_added', ...rule('manager', '/orders') },
    { kind: 'temporary_rule_set', ...rule('clerk', '/reports'), endsAt: 1000 },
  ]);
  const { to } = copy(
    rules,
    createCurrentRules(
      () => {},
      () => 0,
    ),
  );
  const textsOf = ({ snapshot }: typeof to) =>
    listRoles(snapshot).flatMap((roleKey) => listRules(snapshot, roleKey));
  expect(textsOf(to)).toEqual(textsOf(rules));
  expect(textsOf(to)).toHaveLength(4);
  expect(to.nextEnd).toBe(1000);
});

it('ended tokens that have not expired, by the hour, and raised epochs', () => {
  const revocations = createRevocations(86_400, () => now);
  const ended = (number: number, expiresAt: number): Change => ({
    kind: 'token_revoked',
    jti: jti(number),
    expiresAt,
  });
  apply(revocations, [
    ...Array.from({ length: 25_000 }, (_, number) => ended(number, hour)),
    ended(25_000, hour + 7200),
    ended(30_000, Math.floor(now / 1000) - 7200),
    { kind: 'epoch_raised', userId: 3, epoch: 9 },
  ]);
  const { to, pieces } = copy(
    revocations,
    createRevocations(86_400, () => now),
  );
  expect(pieces.map(({ kind }) => kind)).toEqual(['ended_tokens', 'ended_tokens', 'epochs']);
  const token = (number: number) => ({ jti: jti(number), identity: 1, ep: 1 });
  for (const number of [0, 12_345, 24_999, 25_000]) expect(to.isRevoked(token(number))).toBe(true);
  for (const number of [25_001, 30_000]) expect(to.isRevoked(token(number))).toBe(false);
  expect(to.endedTokens).toBe(25_001);
  // What it gives away itself is the same.
  expect([...to.snapshotRecords()]).toEqual(pieces);
  expect([8, 9].map((ep) => to.isRevoked({ jti: jti(99_999), identity: 3, ep }))).toEqual([true, false]);
});

it('roles that are enabled', () => {
  const roles = createRoles();
  apply(roles, [
    { kind: 'role_set', id: 2, roleKey: 'clerk', dataScope: '3' },
    { kind: 'role_set', id: 3, roleKey: 'gone', dataScope: '1' },
    { kind: 'role_disabled', id: 3 },
  ]);
  const { to } = copy(roles, createRoles());
  expect([to.find(2), to.find(3)]).toEqual([{ id: 2, roleKey: 'clerk', dataScope: '3' }, undefined]);
});

it('reads the verifying keys, the signing key and the retired keys', () => {
  const keys = createVerifyingKeys(false);
  apply(keys, [
    { kind: 'key_added', kid: 'a', dev: false, publicJwk },
    { kind: 'key_added', kid: 'b', dev: false, publicJwk },
    { kind: 'key_activated', kid: 'b', dev: false },
    { kind: 'key_retired', kid: 'a', dev: false },
    { kind: 'key_added', kid: 'd', dev: true, publicJwk },
  ]);
  const { to } = copy(keys, createVerifyingKeys(false));
  expect([to.signingKid, to.isRetired('a'), to.find('a'), to.find('d')]).toEqual([
    'b',
    true,
    undefined,
    undefined,
  ]);
  expect(to.find('b')?.export({ format: 'jwk' })).toMatchObject(publicJwk);
  // A guard of another mode gets nothing.
  expect(copy(keys, createVerifyingKeys(true)).to.signingKid).toBeUndefined();
});
