// Delivery of a mail: retried with growing waits, given up after a day, and dropped without a recipient.
import { describe, expect, it } from 'vitest';
import { createMailSender, type MailSenderOptions } from '../../../src/people/mail/mail-sender.ts';
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
  const note =
    (what: string) =>
    async (...facts: unknown[]) => {
      noted.push([what, ...facts.slice(1)]);
    };
  const sender = createMailSender({
    smtp: { send: async () => delivery },
    queue: {
      async claim(leaseSeconds) {
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
  });
  expect(await sender.sendNext()).toBe(true);
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

function create({ delivery = deferred as Delivery, isKnown = true, queue = {} as Partial<Queue> }) {
  const mails = [{ id, tries: 1, ageSeconds: 0 }];
  return createMailSender({
    smtp: { send: async () => delivery },
    queue: {
      claim: async () => mails.shift(),
      end: async () => {},
      defer: async () => {},
      drop: async () => {},
      ...queue,
    },
    prepare: async () => (isKnown ? prepared : undefined),
    language: 'en',
    timeoutSeconds: 30,
    retrySeconds: 60,
    random: () => 0,
  });
}

describe('a queue', () => {
  it.each<[what: keyof Queue, delivery: Delivery, isKnown: boolean]>([
    ['claim', deferred, true],
    ['drop', deferred, false],
    ['defer', deferred, true],
    ['end', { outcome: 'accepted' }, true],
  ])('that fails to %s a mail fails the pass of the job', async (what, delivery, isKnown) => {
    const fail = () => Promise.reject(new Error('a fault'));
    const { sendNext } = create({ delivery, isKnown, queue: { [what]: fail } });
    await expect(sendNext()).rejects.toThrow('a fault');
  });

  it('has another mail perhaps after one was sent or dropped, and no more when none was due', async () => {
    for (const isKnown of [true, false]) {
      const { sendNext } = create({ isKnown });
      expect([await sendNext(), await sendNext()]).toEqual([true, false]);
    }
  });
});
