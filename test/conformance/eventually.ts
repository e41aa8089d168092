// Polls for a result that no event announces, such as a row that a background writer stores.
import { expect } from 'vitest';

/** Far longer than the usual wait, so that only a missing result fails. */
const patienceMilliseconds = 120_000;

export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: patienceMilliseconds, interval: 20, ...options });
