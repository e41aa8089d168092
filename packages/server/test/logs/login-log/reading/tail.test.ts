import type { LoginLogItem } from '@portcullis/contract';
import { beforeEach, expect, it } from 'vitest';
import { firstIdAt } from '../../../../src/cluster/store/uuid-v7.ts';
import { type Poll, tail } from '../../../../src/logs/login-log/reading/tail.ts';

let now: number;
let stored: LoginLogItem[];
let complete: boolean;
let events: AsyncGenerator<string>;

const recordAt = (at: number) => ({ id: firstIdAt(at), username: 'mei\n\ndata: forged' }) as LoginLogItem;
const poll = async (lowest: string): Promise<Poll> => ({
  items: stored.filter(({ id }) => id >= lowest).sort((one, other) => (one.id < other.id ? 1 : -1)),
  complete,
});
const next = async () => String((await events.next()).value);
const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

beforeEach(() => {
  now = 1_000_000;
  stored = [];
  complete = true;
  const pause = async () => {
    now += 1000;
  };
  events = tail({ poll, pause, now: () => now });
});

it('fails before its first event where the log cannot be read', async () => {
  events = tail({ poll: () => Promise.reject(new Error('away')), pause: async () => {}, now: () => now });
  await expect(events.next()).rejects.toThrow('away');
});

it('begins with a comment, and skips earlier records', async () => {
  stored = [recordAt(now - 1), recordAt(now)];
  expect(await next()).toBe(':\n\n');
  stored.push(recordAt(now + 1));
  expect(idsIn(await next())).toEqual([firstIdAt(1_000_001)]);
});

it('sends every new record once, oldest first, as one event', async () => {
  await next();
  const [first, second] = [recordAt(now), recordAt(now + 1)];
  stored = [second, first];
  const text = await next();
  expect(text).toBe(
    [first, second].map((item) => `id: ${item.id}\ndata: ${JSON.stringify(item)}\n\n`).join(''),
  );
  expect(text.match(/^data:/gm)).toHaveLength(2);
  expect(await next()).toBe(':\n\n');
});

it('sends a record that another instance stores late', async () => {
  await next();
  stored = [recordAt(now)];
  await next();
  stored.push(recordAt(now - 20_000));
  expect(idsIn(await next())).toEqual([stored[1]?.id]);
});

it('says that it lives where nothing happens, at least every 15 seconds', async () => {
  await next();
  const quietAt = now;
  expect(await next()).toBe(':\n\n');
  expect(now - quietAt).toBeLessThan(15_000);
});

it('reports a gap where it could not send everything, and only there', async () => {
  await next();
  complete = false;
  stored = [recordAt(now), recordAt(now + 1)];
  expect(await next()).toMatch(/^event: gap\ndata: \{\}\n\nid: /);
  stored.push(recordAt(now));
  expect(await next()).toMatch(/^id: /);
});

it('remembers no longer than it looks back', async () => {
  await next();
  stored = Array.from({ length: 100 }, (_, index) => recordAt(now + index));
  expect(idsIn(await next())).toHaveLength(100);
  // A hundred seconds on, with another record of then.
  now += 100_000;
  stored.push(recordAt(now));
  expect(idsIn(await next())).toEqual([stored.at(-1)?.id]);
});
