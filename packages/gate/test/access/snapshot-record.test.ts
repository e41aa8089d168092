import { expect, it } from 'vitest';
import { SnapshotRecord } from '../../src/access/snapshot-record.ts';
import { compileSchema } from '../../src/compile-schema.ts';

const isPiece = compileSchema(SnapshotRecord);

const rule = { roleKey: 'clerk', method: 'GET', path: '/orders' };
const role = { id: 2, roleKey: 'clerk', dataScope: '3' };
const publicJwk = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };

it.each([
  null,
  7,
  'rules',
  [],
  {},
  { kind: 'end', n: 7, mark: 'm' },
  { kind: 'bans', users: [7] },
  { kind: 'rules' },
  { kind: 'rules', rules: [{}] },
  { kind: 'rules', rules: [rule, { ...rule, path: 7 }] },
  { kind: 'roles', roles: [{ ...role, dataScope: '9' }] },
  { kind: 'roles', roles: [{ ...role, id: '2' }] },
  { kind: 'revocations', lines: ['a 1'] },
  { kind: 'epochs', epochs: [{ userId: 7, epoch: 1.5 }] },
  { kind: 'keys', dev: false, live: [], retired: [7] },
  { kind: 'keys', live: [], retired: [] },
  { kind: 'keys', dev: false, live: [{ kid: 'a', signing: true }], retired: [] },
  {
    kind: 'keys',
    dev: false,
    live: [{ kid: 'a', signing: true, publicJwk: { ...publicJwk, crv: 'P-384' } }],
    retired: [],
  },
])('%j is no piece', (value) => {
  expect(isPiece(value)).toBe(false);
});

it.each([
  { kind: 'rules', rules: [rule] },
  { kind: 'rules', rules: [] },
  { kind: 'roles', roles: [role] },
  { kind: 'revocations', lines: 'a 1,b 2' },
  { kind: 'epochs', epochs: [{ userId: 7, epoch: 2 }] },
  { kind: 'keys', dev: true, live: [{ kid: 'a', signing: true, publicJwk }], retired: ['b'] },
])('%j is a piece', (value) => {
  expect(isPiece(value)).toBe(true);
});
