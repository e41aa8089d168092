import { expect, it } from 'vitest';
import { createLogDeduplication } from '../../../src/base/ops/log-deduplication.ts';

function createWorld() {
  let time = 0;
  const { tell, forget } = createLogDeduplication(() => time);
  const wait = (seconds: number) => {
    time += seconds * 1000;
  };
  return { tell, forget, wait };
}

it('logs a failure at once, and its repetition once a minute with the number of omitted ones', () => {
  const { tell, wait } = createWorld();
  const told = Array.from({ length: 121 }, () => {
    wait(1);
    return tell('ECONNREFUSED');
  });
  expect(told.flatMap((count, second) => (count === undefined ? [] : [[second, count]]))).toEqual([
    [0, 0],
    [60, 59],
    [120, 59],
  ]);
});

it('logs another failure at once', () => {
  const { tell } = createWorld();
  expect([tell('ECONNREFUSED'), tell('57P01'), tell('57P01')]).toEqual([0, 0, undefined]);
});

it('logs the next failure at once after a success', () => {
  const { tell, forget } = createWorld();
  tell('ECONNREFUSED');
  forget();
  expect(tell('ECONNREFUSED')).toBe(0);
});
