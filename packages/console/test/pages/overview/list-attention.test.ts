import { describe, expect, test } from 'vitest';
import { listAttention, oldKeyDays } from '../../../src/pages/overview/list-attention.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();
const report = (services: readonly string[], unmatched = 0, count = services.length) => ({
  adminOnly: { count, items: services.map((service) => ({ service })) },
  unmatchedRules: { count: unmatched },
});

describe('nothing needs attention', () => {
  test('of which nothing is known', () => {
    expect(listAttention({}, now)).toEqual([]);
  });

  test('where our own endpoints are for admin alone, passwords are chosen and the key is young', () => {
    const users = { items: [{ id: 1, username: 'ada', passwordChangeRequired: false }], isWhole: true };
    const keys = [
      { kid: 'a', state: 'signing', createdAt: daysAgo(oldKeyDays - 1) },
      { kid: 'b', state: 'verifying', createdAt: daysAgo(999) },
    ];
    expect(listAttention({ report: report(['portcullis']), users, keys }, now)).toEqual([]);
  });
});

describe('attention is drawn', () => {
  test('first to people with an open request, each once', () => {
    const items = ['bo', 'wei', 'bo'].map((username) => ({ username }));
    expect(listAttention({ requests: { items, next: 'x' }, report: report([], 1) }, now)).toEqual([
      { kind: 'requests', names: ['bo', 'wei'], isMore: true },
      { kind: 'unmatched', count: 1 },
    ]);
    expect(listAttention({ requests: { items: [], next: null } }, now)).toEqual([]);
  });

  test('to endpoints of services that only admin can call, and to rules for none', () => {
    expect(listAttention({ report: report(['shop', 'portcullis', 'stock'], 2, 9) }, now)).toEqual([
      { kind: 'unmatched', count: 2 },
      { kind: 'adminOnly', count: 2, isMore: true },
    ]);
  });

  test('to people with a password that another person chose, as far as they were read', () => {
    const users = {
      items: [
        { id: 1, username: 'ada', passwordChangeRequired: false },
        { id: 2, username: 'bo', passwordChangeRequired: true },
      ],
      isWhole: false,
    };
    expect(listAttention({ users }, now)).toMatchObject([
      { kind: 'passwords', people: [{ id: 2, username: 'bo' }], isMore: true },
    ]);
  });

  test('to a key that has signed for long', () => {
    const keys = [{ kid: 'a', state: 'signing', createdAt: daysAgo(oldKeyDays) }];
    expect(listAttention({ keys }, now)).toEqual([{ kind: 'oldKey', kid: 'a', days: oldKeyDays }]);
  });
});
