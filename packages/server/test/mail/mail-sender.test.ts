// How a mail fares: retried with longer and longer waits, given up after a day, and dropped where nobody is to be told.
import { describe, expect, it } from 'vitest';
import { startMailSender } from '../../src/mail/mail-sender.ts';
import type { Delivery } from '../../src/mail/smtp.ts';

const id = '6f1c2d1e-6f6b-4d0e-9a51-0d9f2a3c4b5e';

/** What is noted of one mail. */
async function sendOne(delivery: Delivery, { tries = 1, ageSeconds = 0, isKnown = true } = {}) {
  const noted: unknown[] = [];
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  let isClaimed = false;
  const note =
    (what: string) =>
    async (...facts: unknown[]) => {
      noted.push([what, ...facts.slice(1)]);
      resolve();
    };
  const sender = startMailSender({
    smtp: { send: async () => delivery, interrupt: () => {} },
    queue: {
      async claim(leaseSeconds) {
        if (isClaimed) return undefined;
        isClaimed = true;
        noted.push(['claim', leaseSeconds]);
        return { id, tries, ageSeconds };
      },
      end: note('end'),
      defer: note('defer'),
      drop: note('drop'),
    },
    prepare: async () =>
      isKnown
        ? {
            id,
            address: 'mei@example.com',
            facts: { kind: 'password_changed', username: 'mei', name: '', at: new Date(0), facts: {} },
          }
        : undefined,
    language: 'en',
    timeoutSeconds: 30,
    retrySeconds: 60,
    random: () => 0,
    onFailure: (cause) => noted.push(cause),
  });
  await settled;
  await sender.close();
  return { noted, counts: sender.counts };
}

const deferred = { outcome: 'deferred', reason: 'ECONNECTION' } as const;

describe('a mail', () => {
  it.each([
    [1, 60],
    [2, 120],
    [5, 960],
    [8, 3600],
    [1000, 3600],
  ])('that is put off at its try %i waits for %i seconds', async (tries, seconds) => {
    const { noted, counts } = await sendOne(deferred, { tries });
    expect(noted.at(-1)).toEqual(['defer', { seconds, reason: 'ECONNECTION' }]);
    expect(counts).toEqual({ sent: 0, deferred: 1, dead: 0 });
  });

  it('is given up after a day, and at once where it is refused for good', async () => {
    const dead = ['end', { state: 'dead', reason: 'ECONNECTION' }];
    expect((await sendOne(deferred, { ageSeconds: 86_401 })).noted.at(-1)).toEqual(dead);
    const refused = { outcome: 'refused', reason: 'ECONNECTION' } as const;
    expect((await sendOne(refused)).noted.at(-1)).toEqual(dead);
  });

  it('is dropped where nobody is to be told, and noted as sent where it was taken', async () => {
    expect((await sendOne({ outcome: 'accepted' }, { isKnown: false })).noted.at(-1)).toEqual(['drop']);
    const { noted, counts } = await sendOne({ outcome: 'accepted' });
    expect(noted.at(-1)).toEqual(['end', { state: 'sent', reason: null }]);
    expect(counts.sent).toBe(1);
  });

  it('is held for longer than its delivery may take', async () => {
    const [[, seconds] = []] = (await sendOne(deferred)).noted as [string, number][];
    expect(seconds).toBeGreaterThan(30 + 5);
  });
});
