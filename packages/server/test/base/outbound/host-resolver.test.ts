import { expect, it } from 'vitest';
import {
  type Address,
  createHostResolver,
  type ResolveHost,
} from '../../../src/base/outbound/host-resolver.ts';

const address: Address = { address: '192.0.2.1', family: 4 };

function open(ask: ResolveHost) {
  const clock = { now: 0 };
  const asked: string[] = [];
  const resolve = createHostResolver({
    ask: (name) => {
      asked.push(name);
      return ask(name);
    },
    monotonic: () => clock.now,
  });
  return { clock, asked, resolve };
}

it('uses the answer of a name server for five seconds', async () => {
  const { clock, asked, resolve } = open(async () => [address]);
  expect(await resolve('one')).toEqual([address]);
  clock.now = 4999;
  await resolve('one');
  expect(asked).toEqual(['one']);
  clock.now = 5000;
  await resolve('one');
  expect(asked).toEqual(['one', 'one']);
});

it('asks again after a failure, and after an answer without an address', async () => {
  const answers = [() => Promise.reject(new Error('away')), async () => [], async () => [address]];
  const { resolve } = open(() => answers.shift()?.() ?? Promise.reject(new Error('asked too often')));
  await expect(resolve('one')).rejects.toThrow('away');
  expect(await resolve('one')).toEqual([]);
  expect(await resolve('one')).toEqual([address]);
});

it('resolves one name at a time, also behind one that failed', async () => {
  const [first, second] = [Promise.withResolvers<Address[]>(), Promise.withResolvers<Address[]>()];
  const { asked, resolve } = open((name) => (name === 'one' ? first : second).promise);
  const resolved = Promise.allSettled(['one', 'two', 'one'].map(resolve));
  await new Promise(setImmediate);
  expect(asked).toEqual(['one']);
  first.reject(new Error('away'));
  await new Promise(setImmediate);
  expect(asked).toEqual(['one', 'two']);
  second.resolve([address]);
  expect((await resolved).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
});
