// The filter of the login log in the address. It leaves out values that the service would refuse, and reports them.
import type { Client, LoginLogItem } from '@portcullis/client';
import { findRange, knownRanges, startOfRange } from '../../logs/last-range.ts';

type Query = NonNullable<NonNullable<Parameters<Client['tailLoginLogs']>[0]>['query']>;
export type Reason = LoginLogItem['reason'];
export type Outcome = LoginLogItem['outcome'];
export type Method = NonNullable<LoginLogItem['method']>;

export const outcomes = ['success', 'failure'] as const satisfies readonly Outcome[];
export const reasons = [
  'ok',
  'logout',
  'credentials_wrong',
  'captcha_wrong',
  'factor_required',
  'throttled',
  'user_disabled',
  'role_disabled',
  'provider_login_required',
  'groups_unreadable',
  'groups_overage',
  'params_invalid',
  'unavailable',
] as const satisfies readonly Reason[];

export const filterNames = [
  'last',
  'from',
  'to',
  'username',
  'userId',
  'ip',
  'outcome',
  'reason',
  'browser',
  'os',
  'location',
] as const;
export type FilterName = (typeof filterNames)[number];
/** Each value as its text in the address; a missing name means no filter. */
export type LogFilter = { readonly [N in FilterName]?: string };

export interface ReadFilter {
  readonly filter: LogFilter;
  /** The names of invalid values. */
  readonly refused: readonly FilterName[];
}

type Values = Readonly<Record<string, unknown>>;

/** `values` is the query of the address, or the fields of the form; an empty text means no filter. */
export function readFilter(values: Values): ReadFilter {
  const filter: { [N in FilterName]?: string } = {};
  const refused: FilterName[] = [];
  for (const name of filterNames) {
    const value = values[name];
    if (value === undefined || value === null || value === '') continue;
    const read = typeof value === 'string' ? readers[name](value.trim()) : undefined;
    if (read === undefined) refused.push(name);
    else if (read !== '') filter[name] = read;
  }
  if (filter.last !== undefined) {
    delete filter.from;
    delete filter.to;
  }
  if (filter.from !== undefined && filter.to !== undefined && filter.from >= filter.to) {
    delete filter.to;
    refused.push('to');
  }
  return { filter, refused };
}

/** The filter as parameters of the service. */
export function toQuery({ last, from, userId, outcome, reason, ...rest }: LogFilter, now: number): Query {
  const range = findRange(last);
  const start = range === undefined ? from : new Date(startOfRange(range, now)).toISOString();
  return {
    ...rest,
    ...(start === undefined ? {} : { from: start }),
    ...(userId === undefined ? {} : { userId: Number(userId) }),
    outcome: outcomes.find((known) => known === outcome),
    reason: reasons.find((known) => known === reason),
  };
}

type Reader = (text: string) => string | undefined;

const longestText = 64;
const oneOf =
  (known: readonly string[]): Reader =>
  (text) =>
    known.find((one) => one === text);
const readText: Reader = (text) => (text.length > longestText || text.includes('\0') ? undefined : text);

const readers: Readonly<Record<FilterName, Reader>> = {
  last: oneOf(knownRanges),
  from: readMoment,
  to: readMoment,
  username: readText,
  userId: (text) => (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? text : undefined),
  ip: readNetwork,
  outcome: oneOf(outcomes),
  reason: oneOf(reasons),
  browser: readText,
  os: readText,
  location: (text) => (/^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : undefined),
};

/** A time must include its zone: without it, readers in other time zones would see a different range. */
function readMoment(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const version4 = new RegExp(`^${octet}(\\.${octet}){3}$`);

function readNetwork(text: string): string | undefined {
  const [, address = '', bits = '0'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (version4.test(address)) return Number(bits) <= 32 ? text : undefined;
  const isVersion6 = /^[0-9a-fA-F.:]+$/.test(address) && URL.canParse(`http://[${address}]/`);
  return isVersion6 && Number(bits) <= 128 ? text : undefined;
}
