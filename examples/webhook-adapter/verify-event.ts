// What every receiver does first: is this event from Portcullis, whole, and of now? It throws where it is not.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface PortcullisEvent {
  /** The same for the same event, however often it is sent: what was seen before is answered with 200 and forgotten. */
  readonly id: string;
  /** Its kind, such as `login.failure` or `user.disable`. */
  readonly type: string;
  readonly timestamp: string;
  readonly log: 'audit' | 'login';
  /** What it is about, such as `user 7`; events of one object come in their order. */
  readonly object: string;
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
  if (!/^\d+$/.test(timestamp ?? '') || Math.abs(age) > toleranceSeconds) throw new Error('not of now');
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
