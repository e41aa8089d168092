// Delivery of a mail: retried with growing waits, given up after a day, and dropped without a recipient.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type MailSenderOptions, startMailSender } from '../../../src/people/mail/mail-sender.ts';
import type { Delivery } from '../../../src/people/mail/smtp.ts';

const id = '6f1c2d1e-6f6b-4d0e-9a51-0d9f2a3c4b5e';
const prepared = {
  id,
  address: 'mei@example.com',
  facts: { kind: 'password_changed', username: 'mei', name: '', at: new Date(0), facts: {} },
} as const;

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
    prepare: async () => (isKnown ? prepared : undefined),
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

  it('is dropped without a recipient, and marked as sent after the server accepted it', async () => {
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

type Queue = MailSenderOptions<{ id: string; tries: number; ageSeconds: number }>['queue'];

/** With one mail in its queue, and pauses that no test waits for. */
function start({
  delivery = Promise.resolve<Delivery>(deferred),
  isKnown = true,
  queue = {} as Partial<Queue>,
}) {
  const mails = [{ id, tries: 1, ageSeconds: 0 }];
  const seen = { looks: 0, causes: [] as unknown[] };
  const sender = startMailSender({
    smtp: { send: () => delivery, interrupt: () => {} },
    queue: {
      async claim() {
        seen.looks += 1;
        await turn();
        return mails.shift();
      },
      end: async () => {},
      defer: async () => {},
      drop: async () => {},
      ...queue,
    },
    prepare: async () => (isKnown ? prepared : undefined),
    language: 'en',
    timeoutSeconds: 30,
    retrySeconds: 60,
    random: () => 1000,
    onFailure: (cause) => void seen.causes.push(cause),
  });
  return { seen, sender };
}

async function takeTurns(): Promise<void> {
  for (let left = 20; left > 0; left -= 1) await turn();
}

describe('a queue', () => {
  it.each<[what: keyof Queue, delivery: Delivery, isKnown: boolean]>([
    ['drop', deferred, false],
    ['defer', deferred, true],
    ['end', { outcome: 'accepted' }, true],
  ])(
    'that fails to %s a mail is reported, and is looked at again after a pause',
    async (what, delivery, isKnown) => {
      const fault = new Error('a fault');
      const fail = () => Promise.reject(fault);
      const { seen, sender } = start({
        delivery: Promise.resolve(delivery),
        isKnown,
        queue: { [what]: fail },
      });
      await expect.poll(() => seen.causes).toEqual([fault]);
      await takeTurns();
      await sender.close();
      expect(seen).toEqual({ looks: 1, causes: [fault] });
    },
  );

  it('is looked at again at once after a mail, and after a pause where there was none', async () => {
    const { seen, sender } = start({});
    await expect.poll(() => seen.looks).toBe(2);
    await takeTurns();
    expect(seen).toEqual({ looks: 2, causes: [] });
    await sender.close();
  });
});

it('a sender is closed when the mail that is on its way is settled, and takes no other', async () => {
  const delivery = Promise.withResolvers<Delivery>();
  const order: string[] = [];
  const { seen, sender } = start({
    delivery: delivery.promise,
    queue: { end: async () => void order.push('settled') },
  });
  await takeTurns();
  const closed = sender.close().then(() => order.push('closed'));
  await takeTurns();
  delivery.resolve({ outcome: 'accepted' });
  await closed;
  expect([order, seen.looks]).toEqual([['settled', 'closed'], 1]);
});
