// Sends the queued mails, one after the other, on every instance, with retries. A background job polls the queue, and never a
// request, so that the time of an answer does not reveal whether a mail is sent.
import type { Language } from '@portcullis/contract';
import { claimed } from '../../base/jobs/claimed.ts';
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
  readonly smtp: Pick<Smtp, 'send'>;
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
}

export interface MailSender {
  readonly counts: Readonly<Record<'sent' | 'deferred' | 'dead', number>>;
  /** Sends the mail that is due next; false if there is none. */
  sendNext(): Promise<boolean>;
}

const longestRetrySeconds = 3600;
const giveUpSeconds = 86_400;

export function createMailSender<Mail extends Queued>(options: MailSenderOptions<Mail>): MailSender {
  const { smtp, queue, prepare, language, retrySeconds, random } = options;
  // Longer than it takes to send the mail and record the outcome, so that no other instance sends it meanwhile.
  const leaseSeconds = options.timeoutSeconds + 15;
  const counts = { sent: 0, deferred: 0, dead: 0 };

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

  async function send(mail: Mail): Promise<void> {
    const prepared = await prepare(mail);
    if (prepared === undefined) return await queue.drop(mail.id);
    const { id, address, facts } = prepared;
    await settle(mail, await smtp.send({ id, address, at: facts.at, ...writeMail(facts, language) }));
  }

  return { counts, sendNext: claimed(() => queue.claim(leaseSeconds), send) };
}
