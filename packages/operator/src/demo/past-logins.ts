// Generates two weeks of made-up login attempts for the login log: working hours on weekdays, a few mistyped passwords,
// and on the last day a 20-minute brute-force attack from one address.
import type { LoginAttempt } from '@portcullis/contract';
import { type Person, people } from './company.ts';

export interface PastAttempt {
  readonly at: number;
  readonly attempt: LoginAttempt;
}

interface PastOptions {
  readonly now: number;
  /** Returns a number from 0 up to 1, like `Math.random`. */
  readonly random: () => number;
  readonly randomUuid: () => string;
}

const days = 14;
const hour = 3_600_000;
const day = 24 * hour;
const firstHour = 6;
const workingHours = 14;
const weekendShare = 0.5;
const mistypedShare = 0.08;

const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
];
/** A documentation network (RFC 5737), which is assigned to no host. */
const officeNetwork = '192.0.2';
const intruder = {
  ip: '203.0.113.66',
  agent: 'python-requests/2.32.3',
  names: ['admin', 'root', 'test', 'administrator', 'oracle'],
  attempts: 60,
  hoursAgo: 17,
};

/** Oldest first; all are in the past. */
export function createPastLogins({ now, random, randomUuid }: PastOptions): PastAttempt[] {
  const logins = Array.from({ length: days + 1 }, (_, ago) => startOfDay(now) - ago * day).flatMap((start) =>
    people.flatMap((person) => dayOf(person, start, random)),
  );
  const begin = now - intruder.hoursAgo * hour;
  const tried = Array.from({ length: intruder.attempts }, (_, index) => ({
    at: begin + index * 20_000 + Math.floor(random() * 5000),
    attempt: failureOf(intruder.names[index % intruder.names.length] ?? '', intruder.ip, intruder.agent),
  }));
  return [...logins, ...tried]
    .filter(({ at }) => at < now && at > now - days * day)
    .sort((a, b) => a.at - b.at)
    .map(({ at, attempt }) => ({
      at,
      attempt: {
        ...attempt,
        jti: attempt.outcome === 'success' ? randomUuid() : undefined,
        requestId: randomUuid(),
      },
    }));
}

type Described = Omit<LoginAttempt, 'jti' | 'requestId'>;

/** Uses UTC hours, because the time zone does not matter for the demo. */
function dayOf(person: Person, start: number, random: () => number): { at: number; attempt: Described }[] {
  const isWeekend = [0, 6].includes(new Date(start).getUTCDay());
  if (isWeekend && random() > weekendShare) return [];
  const agent = agents[person.id % agents.length] ?? '';
  const ip = `${officeNetwork}.${10 + person.id}`;
  return Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const at = start + (firstHour + random() * workingHours) * hour;
    return { at: Math.floor(at), attempt: attemptOf(person, ip, agent, random) };
  });
}

function attemptOf(person: Person, ip: string, agent: string, random: () => number): Described {
  if (person.isEnabled === false)
    return { ...failureOf(person.username, ip, agent), reason: 'user_disabled' };
  if (random() < mistypedShare) return failureOf(person.username, ip, agent);
  return {
    outcome: 'success',
    reason: 'ok',
    username: person.username,
    userId: person.id,
    roleKey: person.role,
    ip,
    userAgent: agent,
  };
}

function failureOf(username: string, ip: string, agent: string): Described {
  return {
    outcome: 'failure',
    reason: 'credentials_wrong',
    username,
    userId: people.find((person) => person.username === username)?.id,
    roleKey: undefined,
    ip,
    userAgent: agent,
  };
}

function startOfDay(at: number): number {
  return at - (at % day);
}
