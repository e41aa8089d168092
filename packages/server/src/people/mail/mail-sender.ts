// Background job that sends the queued mails, one after the other, on every instance, with retries. It polls the queue on a timer
// and never because of a request, so that the time of an answer does not reveal whether a mail is sent.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Language } from '@portcullis/contract';
import type { Delivery, Smtp } from './smtp.ts';
import { type MailFacts, writeMail } from './write-mail.ts';

export interface MailToSend {
  readonly id: string;
  readonly address: string;
  readonly facts: MailFacts;
}

interface Queued {
  readonly id: string;
  readonly tries: number;
  readonly ageSeconds: number;
}

export interface MailSenderOptions<Mail extends Queued> {
  readonly smtp: Pick<Smtp, 'send' | 'interrupt'>;
  readonly queue: {
    /** A mail that no other instance can claim until the lease ends; undefined if none is due. */
    claim(leaseSeconds: number): Promise<Mail | undefined>;
    end(id: string, ended: { state: 'sent' | 'dead'; reason: string | null }): Promise<void>;
    defer(id: string, deferred: { seconds: number; reason: string }): Promise<void>;
    drop(id: string): Promise<void>;
  };
  /** Undefined if the mail has no recipient any more. */
  readonly prepare: (mail: Mail) => Promise<MailToSend | undefined>;
  readonly language: Language;
  readonly timeoutSeconds: number;
  readonly retrySeconds: number;
  readonly random: () => number;
  readonly onFailure: (cause: unknown) => void;
}

export interface MailSender {
  readonly counts: Readonly<Record<'sent' | 'deferred' | 'dead', number>>;
  close(): Promise<void>;
}

const pauseMilliseconds = 1000;
const longestRetrySeconds = 3600;
const giveUpSeconds = 86_400;
/** How long `close` waits for the mail that is being sent. */
const closeMilliseconds = 3000;

export function startMailSender<Mail extends Queued>(options: MailSenderOptions<Mail>): MailSender {
  const { smtp, queue, prepare, language, retrySeconds, random, onFailure } = options;
  // Longer than it takes to send the mail and record the outcome, so that no other instance sends it meanwhile.
  const leaseSeconds = options.timeoutSeconds + 15;
  const counts = { sent: 0, deferred: 0, dead: 0 };
  const stopping = new AbortController();

  async function settle({ id, tries, ageSeconds }: Queued, delivery: Delivery): Promise<void> {
    if (delivery.outcome === 'accepted') {
      counts.sent += 1;
      return await queue.end(id, { state: 'sent', reason: null });
    }
    const { reason } = delivery;
    if (delivery.outcome === 'refused' || ageSeconds > giveUpSeconds) {
      counts.dead += 1;
      return await queue.end(id, { state: 'dead', reason });
    }
    counts.deferred += 1;
    const seconds = Math.min(longestRetrySeconds, retrySeconds * 2 ** Math.min(tries - 1, 20));
    await queue.defer(id, { seconds: seconds * (1 + random() / 10), reason });
  }

  /** False if no mail was due. */
  async function sendNext(): Promise<boolean> {
    const mail = await queue.claim(leaseSeconds);
    if (mail === undefined) return false;
    const prepared = await prepare(mail);
    if (prepared === undefined) {
      await queue.drop(mail.id);
      return true;
    }
    const { id, address, facts } = prepared;
    await settle(mail, await smtp.send({ id, address, at: facts.at, ...writeMail(facts, language) }));
    return true;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isMore = await sendNext().catch((cause: unknown) => {
        onFailure(cause);
        return false;
      });
      const pause = pauseMilliseconds * (0.5 + random());
      if (!isMore) await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    counts,
    async close() {
      stopping.abort();
      const late = setTimeout(smtp.interrupt, closeMilliseconds);
      await running;
      clearTimeout(late);
    },
  };
}
