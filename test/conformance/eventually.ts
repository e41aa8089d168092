// Waits for what no event announces, such as a row that a background writer stores: asks again until it holds.
import { expect } from 'vitest';

/** Far longer than it takes, so that only what never comes fails. */
const patienceMilliseconds = 120_000;

export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: patienceMilliseconds, interval: 20, ...options });
