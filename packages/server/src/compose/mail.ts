// Part of the composition root: the links that set passwords, and the sending of mail on an instance.
import type { Config } from '../base/settings/config.ts';
import type { Store } from '../cluster/store/store.ts';
import { createMailSender, type MailToSend } from '../people/mail/mail-sender.ts';
import {
  claimMail,
  countQueued,
  deferMail,
  dropMail,
  endMail,
  findRecipient,
  type QueuedMail,
} from '../people/mail/mail-store.ts';
import { createSmtp } from '../people/mail/smtp.ts';
import { prepareLinkMail } from '../people/passwords/password-code-store.ts';
import {
  createPasswordLinks,
  linkLifetimes,
  type PasswordLinks,
} from '../people/passwords/password-links.ts';

type MailConfig = Pick<Config, 'mail' | 'masterKey'>;

export function isMailSent({ mail }: Pick<Config, 'mail'>): boolean {
  return mail.host !== '';
}

export function composeLinks(config: MailConfig, now: () => number): PasswordLinks {
  const { passwordPage: linkPage } = config.mail;
  return createPasswordLinks({ key: config.masterKey.links, linkPage, isMailSent: isMailSent(config), now });
}

export interface MailFigures {
  readonly sent: number;
  readonly deferred: number;
  readonly dead: number;
  readonly queued: number;
  readonly oldestSeconds: number;
}

export interface MailParts {
  readonly figures: MailFigures;
  refresh(): Promise<void>;
  sendNext(): Promise<boolean>;
  /** Breaks off the mail that is being sent. */
  interrupt(): void;
}

interface MailOptions {
  readonly store: Store;
  readonly config: Config;
  readonly now: () => number;
}

export function composeMail({ store, config, now }: MailOptions): MailParts {
  let waiting = { queued: 0, oldestSeconds: 0 };
  const smtp = createSmtp(config.mail);
  const sender = createMailSender<QueuedMail>({
    smtp,
    queue: {
      claim: (leaseSeconds) => claimMail(store, leaseSeconds),
      end: (id, ended) => endMail(store, id, ended),
      defer: (id, deferred) => deferMail(store, id, deferred),
      drop: (id) => dropMail(store, id),
    },
    prepare: createPrepare(store, composeLinks(config, now)),
    ...config.mail,
    random: Math.random,
  });
  return {
    get figures() {
      return { ...sender.counts, ...waiting };
    },
    async refresh() {
      waiting = await countQueued(store);
    },
    sendNext: sender.sendNext,
    interrupt: smtp.interrupt,
  };
}

function createPrepare(store: Store, links: PasswordLinks) {
  return async (mail: QueuedMail): Promise<MailToSend | undefined> => {
    const { id, kind, facts, createdAt: at } = mail;
    if (kind === 'password_reset' || kind === 'invitation') {
      const seconds = linkLifetimes.reset;
      const to = await prepareLinkMail(store, mail, { hash: links.hashOf(id), seconds });
      if (to === undefined) return undefined;
      const { address, username, name, expiresAt } = to;
      const link = { url: links.linkOf(id), expiresAt };
      return { id, address, facts: { kind, username, name, at, facts, link } };
    }
    const to = await findRecipient(store, mail);
    return to && { id, address: mail.address, facts: { kind, ...to, at, facts } };
  };
}
