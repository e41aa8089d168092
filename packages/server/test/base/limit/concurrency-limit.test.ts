import { expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../src/base/limit/concurrency-limit.ts';

const refusal = { kind: 'rate_limited', retryAfterSeconds: 1 };

/** Work that the test ends. */
function createWork(limit = createConcurrencyLimit(2)) {
  const started: string[] = [];
  const endings = new Map<string, PromiseWithResolvers<string>>();
  const work = (name: string) => () => {
    started.push(name);
    const ending = Promise.withResolvers<string>();
    endings.set(name, ending);
    return ending.promise;
  };
  return {
    started,
    run: (key: string, name: string) => limit.run(key, work(name)),
    /** Ends at once. */
    tryRun: (key: string, name: string) => limit.run(key, async () => void started.push(name)),
    wait: (key: string, name: string) =>
      limit.run([{ key, most: 1 }], work(name), { queue: 0, milliseconds: 60_000 }),
    end: (name: string) => endings.get(name)?.resolve(name),
    fail: (name: string) => endings.get(name)?.reject(new Error('away')),
    settle: () => new Promise(setImmediate),
  };
}

it('refuses work above the limit of its key without starting it, until other work of the key ends', async () => {
  const { started, run, tryRun, end } = createWork();
  const one = run('sso', 'one');
  void run('sso', 'two');
  await expect(tryRun('sso', 'three')).rejects.toMatchObject(refusal);
  void run('other', 'of another key');
  expect(started).toEqual(['one', 'two', 'of another key']);
  end('one');
  expect(await one).toBe('one');
  void run('sso', 'three');
  expect(started).toEqual(['one', 'two', 'of another key', 'three']);
  await expect(tryRun('sso', 'four')).rejects.toMatchObject(refusal);
});

it('frees the slot of work that fails', async () => {
  const { run, fail, started } = createWork(createConcurrencyLimit(1));
  const failing = run('sso', 'failing');
  fail('failing');
  await expect(failing).rejects.toThrow('away');
  void run('sso', 'next');
  expect(started).toEqual(['failing', 'next']);
});

it('starts waiting work when a slot of its key is free, in the order of arrival', async () => {
  const { started, wait, end, settle } = createWork();
  for (const [key, name] of [
    ['a', 'a1'],
    ['b', 'b1'],
    ['a', 'a2'],
    ['b', 'b2'],
    ['b', 'b3'],
  ] as const)
    void wait(key, name);
  await settle();
  expect(started).toEqual(['a1', 'b1']);
  for (const name of ['b1', 'b2', 'a1']) {
    end(name);
    await settle();
  }
  expect(started).toEqual(['a1', 'b1', 'b2', 'b3', 'a2']);
});

it('holds a slot for a stream from its first read to its end', async () => {
  const limit = createConcurrencyLimit(1);
  const pieces = async function* () {
    yield 'piece';
    yield 'last';
  };
  const hold = () => limit.hold(pieces)[Symbol.asyncIterator]();
  const [unread, first] = [hold(), hold()];
  await first.next();
  await expect(unread.next()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 10 });
  await first.return?.();
  expect((await hold().next()).value).toBe('piece');
});
