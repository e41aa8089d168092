// Builds the login record of an attempt: whatever the client sent, the record can be stored and shows no password.
import type { LoginAttempt } from '@portcullis/contract';
import type { Pseudonymize } from './pseudonym.ts';

export interface LoginRecord extends LoginAttempt {
  readonly id: string;
  readonly at: Date;
  readonly instance: string;
  readonly browser: string | undefined;
  readonly os: string | undefined;
  readonly platform: string | undefined;
  /** The country, as its two letters of ISO 3166. */
  readonly location: string | undefined;
}

/** What the request tells about the client. */
export type ClientFacts = Pick<LoginRecord, 'browser' | 'os' | 'platform' | 'location'>;

const usernameShape = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u;
const maxUserAgentLength = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: They are what must not be stored.
const unprintable = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

export function createLoginRecord(
  attempt: LoginAttempt,
  stamp: Pick<LoginRecord, 'id' | 'at' | 'instance'>,
  client: ClientFacts,
  hideName: Pseudonymize,
): LoginRecord {
  return {
    ...attempt,
    ...stamp,
    ...client,
    username: shownUsername(attempt, hideName),
    ip: withoutZone(attempt.ip),
    userAgent: cleaned(attempt.userAgent),
  };
}

/**
 * Shows the name only when an account was found. The log looks up no accounts, so an attempt with a wrong captcha shows no name.
 */
function shownUsername({ username, userId }: LoginAttempt, hideName: Pseudonymize): string | undefined {
  if (username === undefined || (userId !== undefined && usernameShape.test(username))) return username;
  return hideName(username);
}

function cleaned(userAgent: string | undefined): string | undefined {
  return userAgent
    ?.slice(0, maxUserAgentLength)
    .replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Node adds the interface to a link-local address (`fe80::1%eth0`); Postgres has no such address. */
function withoutZone(ip: string): string {
  return ip.replace(/%.*/, '');
}
