// Typical searches of operators: every filter with a common and a rare value, and some combinations.
import { addressCount, addressOf, agents, countries, reasons, userCount } from './population.ts';

export interface SearchCase {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

const day = 86_400_000;

/** Over the 30 days up to `now`. */
export function listSearches(now: number): SearchCase[] {
  const daysAgo = (days: number) => new Date(now - days * day).toISOString();
  const rareName = `user-${userCount - 1}`;
  const rareAddress = addressOf(addressCount - 1);
  const week = { from: daysAgo(21), to: daysAgo(14) };
  const of = (field: string, values: Iterable<string>) =>
    [...new Set(values)].map((value) => ({ name: `${field} ${value}`, query: { [field]: value } }));
  return [
    { name: 'no filter', query: {} },
    ...of('username', ['user-0', rareName, 'guess-7', 'nobody']),
    ...of('userId', ['1', String(userCount), '999999999']),
    ...of('ip', [addressOf(0), rareAddress, '203.0.113.9']),
    ...of('ip', ['10.20.3.0/24', '10.20.97.0/24', networkOf(rareAddress), '203.0.113.0/24']),
    ...of('ip', ['10.0.0.0/8', '57.0.0.0/8', '203.0.0.0/8', '0.0.0.0/0']),
    ...of('outcome', ['success', 'failure']),
    ...of(
      'reason',
      reasons.map(({ value }) => value),
    ),
    ...of(
      'browser',
      agents.map(({ value }) => value.browser),
    ),
    ...of(
      'os',
      agents.map(({ value }) => value.os),
    ),
    ...of('location', [...countries.map(({ value }) => value), 'ZZ']),
    { name: 'a week', query: week },
    {
      name: 'an hour, 29 days ago',
      query: { from: daysAgo(29), to: new Date(now - 29 * day + 3_600_000).toISOString() },
    },
    { name: 'username user-0, failure', query: { username: 'user-0', outcome: 'failure' } },
    { name: `username ${rareName}, failure`, query: { username: rareName, outcome: 'failure' } },
    { name: 'username user-0, a week', query: { username: 'user-0', ...week } },
    { name: 'reason role_disabled, a week', query: { reason: 'role_disabled', ...week } },
    { name: 'reason throttled, location BR', query: { reason: 'throttled', location: 'BR' } },
    { name: 'reason user_disabled, browser Opera', query: { reason: 'user_disabled', browser: 'Opera' } },
    { name: 'ip 57.0.0.0/8, reason throttled', query: { ip: '57.0.0.0/8', reason: 'throttled' } },
    { name: 'ip 10.0.0.0/8, failure, a week', query: { ip: '10.0.0.0/8', outcome: 'failure', ...week } },
    { name: 'os Linux, location US, failure', query: { os: 'Linux', location: 'US', outcome: 'failure' } },
    { name: 'browser Chrome, os iOS', query: { browser: 'Chrome', os: 'iOS' } },
    { name: 'browser Firefox, os Windows, a week', query: { browser: 'Firefox', os: 'Windows', ...week } },
  ];
}

function networkOf(address: string): string {
  return `${address.replace(/\d+$/, '0')}/24`;
}
