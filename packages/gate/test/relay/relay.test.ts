// An instance's side of the leases of guards: what it gives, what it refuses, and what it sends.
import { describe, expect, it } from 'vitest';
import type { FromGuard, FromRelay } from '../../src/relay/guard-protocol.ts';
import { createRelay } from '../../src/relay/relay.ts';

const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
const revision = (n: number, mark = `m${n}`) => ({ n, mark, changes: [] });

function createWorld() {
  const world = { now: 1000, left: 9800, isLive: true };
  const relay = createRelay({
    lease: { isLive: () => world.isLive, remainingMilliseconds: () => (world.isLive ? world.left : 0) },
    leaseMilliseconds: 10_000,
    databaseTime: () => world.now + 5,
    monotonic: () => world.now,
  });
  relay.follow({ kind: 'loaded', revision: revision(5) });

  function connect(digit: number) {
    const heard: FromRelay[] = [];
    let isClosed = false;
    const connection = relay.connect({
      send: (text) => void heard.push(JSON.parse(text) as FromRelay),
      close: () => {
        isClosed = true;
      },
    });
    const send = (message: FromGuard | object | string) => {
      const before = heard.length;
      connection.receive(typeof message === 'string' ? message : JSON.stringify(message));
      return heard.slice(before);
    };
    if (digit > 0) send({ kind: 'hello', id: id(digit), service: `s${digit}`, version: '1' });
    const renew = (n: number, mark = `m${n}`) => send({ kind: 'renew', seq: n, n, mark });
    return { ...connection, heard, send, renew, isClosed: () => isClosed };
  }
  return { world, relay, connect };
}

describe('a guard is given a lease', () => {
  it('on what the instance enforces, for 3 s, with the time of the database', () => {
    const { connect } = createWorld();
    expect(connect(1).renew(5)).toEqual([{ kind: 'granted', seq: 5, milliseconds: 3000, at: 1005 }]);
  });

  it('for no longer than the instance has one itself', () => {
    const { world, connect } = createWorld();
    world.left = 700;
    expect(connect(1).renew(5)).toEqual([expect.objectContaining({ kind: 'granted', milliseconds: 700 })]);
  });

  it('though it is a little behind, and what it lacks follows', () => {
    const { world, relay, connect } = createWorld();
    relay.follow({ kind: 'followed', revisions: [revision(6), revision(7)] });
    world.now += 1000;
    expect(connect(1).renew(5)).toEqual([
      expect.objectContaining({ kind: 'granted' }),
      { kind: 'revisions', after: { n: 5, mark: 'm5' }, revisions: [revision(6), revision(7)] },
    ]);
    expect(relay.least(7)).toBe(5);
  });
});

describe('a guard gets no lease', () => {
  const why = (answers: FromRelay[]) => (answers[0]?.kind === 'refused' ? answers[0].why : answers[0]?.kind);

  it('before it has sent its identity', () => {
    const { relay, connect } = createWorld();
    expect(why(connect(0).renew(5))).toBe('unavailable');
    expect(relay.isAnyLive()).toBe(false);
  });

  it('where the instance has no lease, or ends', () => {
    const { world, relay, connect } = createWorld();
    world.isLive = false;
    expect(why(connect(1).renew(5))).toBe('unavailable');
    world.isLive = true;
    expect(why(connect(1).renew(5))).toBe('granted');
    relay.leave();
    expect(why(connect(1).renew(5))).toBe('unavailable');
  });

  it('on a revision that the instance does not know yet', () => {
    const { connect } = createWorld();
    expect(connect(1).renew(6)).toEqual([{ kind: 'refused', seq: 6, why: 'ahead' }]);
  });

  it('on one of another history', () => {
    const { relay, connect } = createWorld();
    expect(why(connect(1).renew(5, 'other'))).toBe('lost');
    expect(relay.isAnyLive()).toBe(false);
  });

  it('on one that is older than what was reported', () => {
    const { relay, connect } = createWorld();
    relay.follow({ kind: 'followed', revisions: [revision(6)] });
    expect(relay.commit(6)).toBe(6);
    expect(why(connect(1).renew(5))).toBe('behind');
    expect(relay.least(6)).toBe(6);
  });

  it('on one that was replaced more than a second ago', () => {
    const { world, relay, connect } = createWorld();
    const guard = connect(1);
    guard.renew(5);
    relay.follow({ kind: 'followed', revisions: [revision(6)] });
    world.now += 1001;
    expect(why(guard.renew(5))).toBe('behind');
    expect(why(guard.renew(6))).toBe('granted');
  });

  it('on one from before everything was loaded: it is to load, too', () => {
    const { relay, connect } = createWorld();
    const guard = connect(1);
    guard.renew(5);
    relay.follow({ kind: 'loaded', revision: revision(9) });
    expect(guard.heard.at(-1)).toEqual({ kind: 'load', n: 9, mark: 'm9' });
    expect(guard.renew(5)).toEqual([
      { kind: 'refused', seq: 5, why: 'behind' },
      { kind: 'load', n: 9, mark: 'm9' },
    ]);
    expect(why(guard.renew(9))).toBe('granted');
  });
});

describe('the instance answers for a guard', () => {
  it('until its lease ends, whether its line is closed or not', () => {
    const { world, relay, connect } = createWorld();
    const guard = connect(1);
    guard.renew(5);
    relay.follow({ kind: 'followed', revisions: [revision(6)] });
    guard.closed();
    expect(relay.least(6)).toBe(5);
    world.now += 3001;
    expect(relay.least(6)).toBe(6);
  });

  it('until this guard gives its lease back, and not when another guard does', () => {
    const { relay, connect } = createWorld();
    const guard = connect(1);
    guard.renew(5);
    relay.follow({ kind: 'followed', revisions: [revision(6)] });
    connect(0).send({ kind: 'release' });
    connect(2).send({ kind: 'release' });
    expect(relay.least(6)).toBe(5);
    guard.send({ kind: 'release' });
    expect(relay.least(6)).toBe(6);
  });

  it('and signals when the revision that it can report has changed', () => {
    const { relay, connect } = createWorld();
    const guard = connect(1);
    guard.renew(5);
    relay.follow({ kind: 'followed', revisions: [revision(6)] });
    let least = 0;
    relay.onRise(() => {
      least = relay.least(6);
    });
    guard.renew(6);
    expect(least).toBe(6);
  });

  it('and counts it under its service', () => {
    const { relay, connect } = createWorld();
    const guards = [connect(1), connect(1), connect(2), connect(0)];
    guards[0]?.send({ kind: 'hello', id: id(3), service: 'another', version: '1' });
    expect(relay.countServices()).toEqual({ s1: 2, s2: 1 });
    guards[1]?.closed();
    connect(0).send({ kind: 'hello', id: id(4), service: '__proto__ \ud800', version: '1' });
    expect(relay.countServices()).toEqual({ s1: 1, s2: 1, '__proto__ \ufffd': 1 });
  });

  it('and names at most a hundred services', () => {
    const { relay, connect } = createWorld();
    for (let count = 0; count < 200; count += 1)
      connect(0).send({ kind: 'hello', id: id(4), service: `service ${count}`, version: '1' });
    expect(Object.keys(relay.countServices())).toHaveLength(100);
  });
});

describe('what changes', () => {
  it('is sent to every guard that follows, once', () => {
    const { relay, connect } = createWorld();
    const [one, two] = [connect(1), connect(2)];
    one.renew(5);
    relay.follow({ kind: 'followed', revisions: [revision(6)] });
    expect(one.heard.at(-1)).toMatchObject({ kind: 'revisions', after: { n: 5 }, revisions: [{ n: 6 }] });
    expect(two.heard).toEqual([]);
    // The answer crossed with what was sent.
    expect(one.renew(5)).toHaveLength(1);
    expect(two.renew(5)).toHaveLength(2);
  });

  it('is kept for a thousand revisions', () => {
    const { relay, connect } = createWorld();
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 6);
    relay.follow({ kind: 'followed', revisions: numbers.map((n) => revision(n)) });
    expect(connect(1).renew(5)).toEqual([
      { kind: 'refused', seq: 5, why: 'behind' },
      { kind: 'load', n: 1005, mark: 'm1005' },
    ]);
    const [, sent] = connect(1).renew(6);
    expect(sent).toMatchObject({ kind: 'revisions', after: { n: 6 } });
  });

  it('or for at most eight million characters', () => {
    const { relay, connect } = createWorld();
    const changes = [{ kind: 'role_disabled' as const, id: 1 }];
    const large = Array.from({ length: 100_000 }, () => changes[0] as (typeof changes)[0]);
    relay.follow({
      kind: 'followed',
      revisions: [6, 7, 8, 9].map((n) => ({ ...revision(n), changes: large })),
    });
    expect(connect(1).renew(6)[1]).toMatchObject({ kind: 'load', n: 9 });
    expect(connect(1).renew(8)[1]).toMatchObject({ kind: 'revisions', after: { n: 8 } });
  });
});

describe('the relay closes a connection', () => {
  it.each([
    'rubbish',
    'null',
    '{}',
    '{"kind":"hello","id":"1","service":"s","version":"1"}',
    '{"kind":"renew","seq":1,"n":"5","mark":"m5"}',
    '{"kind":"renew","seq":1,"n":5}',
    '{"kind":"renew","seq":1,"n":1.5,"mark":"m5"}',
    '{"kind":"renew","seq":1,"n":-2,"mark":"m5"}',
    '{"kind":"renew","seq":1,"n":9007199254740992,"mark":"m5"}',
    '{"kind":"grant"}',
  ])('that says %s', (text) => {
    const { connect } = createWorld();
    const guard = connect(1);
    expect(guard.send(text)).toEqual([]);
    expect(guard.isClosed()).toBe(true);
  });

  it.each<[string, object]>([
    ['an id with capital letters', { id: id(1).replace(/^./, 'A') }],
    ['a longer id', { id: `${id(1)}'` }],
    ['an empty service', { service: '' }],
    ['a service of 65 characters', { service: 'x'.repeat(65) }],
    ['a service with NUL, which Postgres rejects', { service: 'a\0b' }],
    ['a service that is no text', { service: 7 }],
    ['a version of 33 characters', { version: 'x'.repeat(33) }],
    ['a version with NUL', { version: '1\0' }],
  ])('that names %s', (_what, change) => {
    const { connect } = createWorld();
    const hello = { kind: 'hello', id: id(1), service: 's', version: '1' };
    const [good, bad] = [connect(0), connect(0)];
    good.send(JSON.stringify(hello));
    bad.send(JSON.stringify({ ...hello, ...change }));
    expect([good.isClosed(), bad.isClosed()]).toEqual([false, true]);
  });
});

it('informs a leaving guard', () => {
  const { relay, connect } = createWorld();
  const guard = connect(1);
  relay.leave();
  expect(guard.heard).toEqual([{ kind: 'leaving' }]);
});

it('an instance with a short lease gives shorter ones', () => {
  const relay = createRelay({
    lease: { isLive: () => true, remainingMilliseconds: () => 2000 },
    leaseMilliseconds: 2000,
    databaseTime: () => 0,
    monotonic: () => 0,
  });
  relay.follow({ kind: 'loaded', revision: revision(5) });
  const heard: FromRelay[] = [];
  const line = relay.connect({ send: (text) => void heard.push(JSON.parse(text) as FromRelay), close() {} });
  line.receive(JSON.stringify({ kind: 'hello', id: id(1), service: 's', version: '1' }));
  line.receive(JSON.stringify({ kind: 'renew', seq: 1, n: 5, mark: 'm5' }));
  expect(heard).toEqual([expect.objectContaining({ milliseconds: 600 })]);
});
