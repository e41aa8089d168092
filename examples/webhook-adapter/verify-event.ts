// What every receiver does first: verifies the signature and the time of an event, and throws if one of them is wrong.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface PortcullisEvent {
  /** A repeated event has the same id: answer it with 200 and do nothing. */
  readonly id: string;
  /** Such as `login.failure` or `user.disable`. */
  readonly type: string;
  readonly timestamp: string;
  readonly log: 'audit' | 'login';
  /** The object of the event, such as `user 7`. Events with the same subject are sent in order. */
  readonly subject: string;
  readonly chain: string | null;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

const toleranceSeconds = 300;

export function verifyEvent(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  secret: string,
  now: number = Date.now(),
): PortcullisEvent {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  const age = now / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp ?? '') || Math.abs(age) > toleranceSeconds)
    throw new Error('too old, or from the future');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  const isSigned = (signatures ?? '').split(' ').some((text) => {
    const given = Buffer.from(text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) throw new Error('not signed with the secret');
  return JSON.parse(body) as PortcullisEvent;
}
