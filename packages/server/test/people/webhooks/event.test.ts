import { describe, expect, it } from 'vitest';
import { eventOfLogin, isWanted, type LoginRecordRow } from '../../../src/people/webhooks/event.ts';
import { rowWith } from '../../logs/login-log/write-chain.ts';

const login = (change: Partial<LoginRecordRow>) =>
  eventOfLogin({ ...rowWith(), chain: null, seq: 1, ...change } as LoginRecordRow);

describe('a login', () => {
  it.each([
    ['success', 'logout', 'login.logout'],
    ['success', 'ok', 'login.success'],
    ['failure', 'credentials_wrong', 'login.failure'],
  ] as const)('of the outcome %s for the reason %s is of the type %s', (outcome, reason, type) => {
    expect(login({ outcome, reason }).type).toBe(type);
  });

  it.each([
    [7, 'mei', 'user 7'],
    [null, 'mei', 'name mei'],
    [null, null, 'name '],
  ])('of the user %s and the name %s is about %s', (user_id, username, object) => {
    expect(login({ user_id, username }).object).toBe(object);
  });
});

describe('a webhook', () => {
  it.each<[types: string[], type: string, object: string, isWanted: boolean]>([
    [[], 'user.create', 'user 1', true],
    [['user.create'], 'user.create', 'user 1', true],
    [['user.create'], 'user.delete', 'user 1', false],
    [['user.*'], 'user.delete', 'user 1', true],
    [['user.*'], 'users.delete', 'user 1', false],
    [['role.*', 'user.delete'], 'user.delete', 'user 1', true],
    [['role.*'], 'webhook.test', 'webhook 1', true],
    [[], 'webhook.test', 'webhook 2', false],
  ])('of %j, asked for %s of %s: %s', (types, type, object, expected) => {
    expect(isWanted({ id: 1, types }, { type, object })).toBe(expected);
  });
});
