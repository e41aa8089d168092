// One machine of the office that takes all it can: anonymous requests, forged tokens, wrong logins that name colleagues and
// unknown names, and captchas, at a steady pace. It belongs to a person, so it also has the cookie of a device.
import { randomBytes } from 'node:crypto';
import type { Database } from '../../rig/create-database.ts';
import type { Answer, Request } from '../../rig/http-client.ts';
import { type Claims, encode } from '../../rig/tokens.ts';
import { plantCaptcha } from './cluster.ts';
import type { Person, Send } from './person.ts';

interface Attack {
  readonly send: Send;
  readonly database: Database;
  readonly own: Person;
  readonly colleagues: readonly string[];
  /** Of the key that signs: the public keys show it to every reader. */
  readonly kid: string;
  readonly claims: Claims;
}

export interface Spent {
  /** Answers by their code, for each kind of request. */
  readonly codes: Readonly<Record<string, Record<string, number>>>;
  /** The statuses of answers that are the service's fault; 503 is also what a service says that got no processor. */
  readonly faults: readonly number[];
}

/** A second has this many of each. */
const perSecond = { anonymous: 100, logins: 20, captchas: 20 };
const beatMilliseconds = 50;
/** What one machine waits for at once; where the service is slower than that for lack of processors, the rest is not sent. */
const mostOutstanding = 60;

export function startAttack({ send, database, own, colleagues, kid, claims }: Attack) {
  const codes: Record<string, Record<string, number>> = {};
  const faults: number[] = [];
  const sent = { anonymous: 0, logins: 0, captchas: 0 };
  const outstanding = new Set<Promise<void>>();

  const forged = () =>
    `${encode({ alg: 'ES256', typ: 'JWT', kid })}.${encode({ ...claims, jti: randomBytes(16).toString('base64url') })}.${lowSignature()}`;
  const anonymous: readonly (() => Request)[] = [
    () => ({ path: '/api/v1/jwks' }),
    () => ({ path: '/api/v1/orders' }),
    () => ({ path: '/api/v1/orders', headers: { authorization: `Bearer ${forged()}` } }),
    () => ({ path: '/api/v1/greeting', headers: { cookie: own.device } }),
  ];

  function count(kind: string, { body, status }: Answer): void {
    codes[kind] ??= {};
    const code = String(body.code);
    codes[kind][code] = (codes[kind][code] ?? 0) + 1;
    if (status >= 500) faults.push(status);
  }

  function fire(kind: string, make: () => Request | Promise<Request>): void {
    if (outstanding.size >= mostOutstanding) return;
    const answered = Promise.resolve(make())
      .then(send)
      .then((answer) => count(kind, answer))
      .catch(() => {})
      .finally(() => outstanding.delete(answered));
    outstanding.add(answered);
  }

  async function wrongLogin(index: number): Promise<Request> {
    const username = index % 2 ? `nobody${index}` : (colleagues[index % colleagues.length] ?? '');
    const body = { username, password: `guess ${index}`, ...(await plantCaptcha(database)) };
    const headers = index % 4 < 2 ? { cookie: own.device } : {};
    return { method: 'POST', path: '/api/v1/login', headers, body };
  }

  const startedAt = performance.now();
  const due = (each: number) => ((performance.now() - startedAt) / 1000) * each;
  const timer = setInterval(() => {
    for (; sent.anonymous < due(perSecond.anonymous); sent.anonymous += 1) {
      const make = anonymous[sent.anonymous % anonymous.length];
      if (make !== undefined) fire('anonymous', make);
    }
    for (; sent.logins < due(perSecond.logins); sent.logins += 1) {
      const index = sent.logins;
      fire('logins', () => wrongLogin(index));
    }
    for (; sent.captchas < due(perSecond.captchas); sent.captchas += 1) {
      const headers = sent.captchas % 2 ? { cookie: own.device } : {};
      fire('captchas', () => ({ path: '/api/v1/getCaptcha', headers }));
    }
  }, beatMilliseconds);

  return {
    /** Whether its own wrong logins are refused unlooked at: the network has no guess left. */
    hasSpentNetwork: () => (codes.logins?.['429'] ?? 0) > 0,
    async stop(): Promise<Spent> {
      clearInterval(timer);
      await Promise.all(outstanding);
      return { codes, faults };
    },
  };
}

/** One that only the verification itself refuses: r and s of the right size, with the lower s. */
function lowSignature(): string {
  const bytes = randomBytes(64);
  bytes[32] = 1;
  return bytes.toString('base64url');
}
