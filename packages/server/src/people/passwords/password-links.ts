// Password links: creates and reads single-use links that set a password (reset and invitation). The code of a link is derived
// from its id and a key of the master key, so no table and no queue stores it, and a mail that is sent twice contains the same
// link. The URL of the page comes from the settings, never from a request.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { AppError, type PasswordLink, type User } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { countLinkMails, insertCode, insertLinkMail, lockPassword } from './password-code-store.ts';

export const linkLifetimes = { reset: 30 * 60, invitation: 72 * 3600 } as const;
/** Per user. */
const mailedLinksPerDay = 10;

interface PasswordLinksOptions {
  readonly key: Buffer;
  /** Empty if password links are off. */
  readonly linkPage: string;
  readonly isMailSent: boolean;
  readonly now: () => number;
}

export interface PasswordLinkCode {
  readonly id: string;
  readonly hash: Buffer;
}

export interface PasswordLinks {
  /** Whether users can reset a forgotten password by mail. */
  readonly isResetOffered: boolean;
  /** Ends the previous links of the user. Mails the link if the user has an address and mail is on; otherwise returns it. */
  create(transaction: StoreTransaction, user: Pick<User, 'id' | 'mail'>): Promise<PasswordLink>;
  hashOf(id: string): Buffer;
  linkOf(id: string): string;
  /** Undefined if the text is not a code. */
  read(code: string): PasswordLinkCode | undefined;
}

export function createPasswordLinks({ key, linkPage, isMailSent, now }: PasswordLinksOptions): PasswordLinks {
  const secretOf = (id: string) => createHmac('sha256', key).update(`link ${id}`).digest();
  const hashOf = (id: string) => hash(secretOf(id));
  const linkOf = (id: string) =>
    `${linkPage}#${bytesOf(id).toString('base64url')}${secretOf(id).toString('base64url')}`;
  return {
    isResetOffered: linkPage !== '' && isMailSent,
    hashOf,
    linkOf,
    async create(transaction, { id: userId, mail }) {
      if (linkPage === '') throw new AppError('password_links_disabled');
      const id = randomUUID();
      const kind = (await lockPassword(transaction, userId)) ? 'reset' : 'invitation';
      const expiresAt = new Date(now() + linkLifetimes[kind] * 1000);
      await insertCode(transaction, { id, userId, kind, hash: hashOf(id), seconds: linkLifetimes[kind] });
      const mailed = isMailSent && mail !== null;
      if (mailed) {
        if ((await countLinkMails(transaction, userId)) >= mailedLinksPerDay)
          throw new AppError('rate_limited', { retryAfterSeconds: 3600 });
        await insertLinkMail(transaction, { id, userId, address: mail, kind });
      }
      return { mailed, link: mailed ? null : linkOf(id), expiresAt: expiresAt.toISOString() };
    },
    read(code) {
      const id = idOf(Buffer.from(code.slice(0, 22), 'base64url'));
      const secret = Buffer.from(code.slice(22), 'base64url');
      // Another base64url spelling of the same bytes is not the code.
      const isExact = `${bytesOf(id).toString('base64url')}${secret.toString('base64url')}` === code;
      return isExact ? { id, hash: hash(secret) } : undefined;
    },
  };
}

function hash(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
