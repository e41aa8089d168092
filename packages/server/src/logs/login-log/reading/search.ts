// Parses the filters of a login log request into conditions on rows.
import { isIP } from 'node:net';
import {
  AppError,
  type LoginLogFilter,
  type LoginOutcome,
  type LoginReason,
  loginReasons,
} from '@portcullis/contract';
import { parseMoment } from '../../../cluster/store/parse-moment.ts';
import { firstIdAt } from '../../../cluster/store/uuid-v7.ts';

/** Columns that are indexed together with the id. */
export type Column = 'username' | 'user_id' | 'ip' | 'reason' | 'browser' | 'os' | 'location';

/** A row matches if its column has one of the values. */
export interface AnyOf {
  readonly column: Column;
  readonly values: readonly (string | number)[];
}

/** Ids from `lower` on and below `upper`. Ids begin with the time, so this is a range of time too. */
export interface IdRange {
  readonly lower: string;
  readonly upper: string;
}

export interface Search extends IdRange {
  readonly conditions: readonly AnyOf[];
  /** In CIDR notation. */
  readonly network?: string;
  /** The departments of the user. */
  readonly departments?: readonly number[];
}

const lowestId = '00000000-0000-0000-0000-000000000000';
/** Clocks can be off, but not by a month: the partitions of later months need no search. */
const aheadMilliseconds = 32 * 86_400_000;
const successes: readonly LoginReason[] = ['ok', 'logout'];

/** `namesOf` returns what the log can hold for a typed name. */
export function parseSearch(
  filter: LoginLogFilter,
  now: number,
  namesOf: (name: string) => readonly string[],
): Search {
  const { ip } = filter;
  const isNetwork = ip?.includes('/') === true;
  const equals: [Column, string | number | undefined][] = [
    ['user_id', filter.userId],
    ['ip', isNetwork ? undefined : checkedAddress(ip)],
    ['location', filter.location],
    ['browser', filter.browser],
    ['os', filter.os],
  ];
  return {
    lower: filter.from === undefined ? lowestId : firstIdAt(parseMoment(filter.from)),
    upper: firstIdAt(filter.to === undefined ? now + aheadMilliseconds : parseMoment(filter.to)),
    conditions: [
      ...(filter.username === undefined
        ? []
        : [{ column: 'username' as const, values: namesOf(filter.username) }]),
      ...equals.flatMap(([column, value]) => (value === undefined ? [] : [{ column, values: [value] }])),
      ...reasonsOf(filter),
    ],
    ...(isNetwork ? { network: checkedNetwork(ip) } : {}),
  };
}

/** Whether the search filters by nothing but reasons, by which the counts are kept. */
export function isOfReasons({ conditions, network }: Search): boolean {
  return network === undefined && conditions.every(({ column }) => column === 'reason');
}

/** Finds all records of one user. */
export function searchOfUser(userId: number, now: number): Search {
  return {
    lower: lowestId,
    upper: firstIdAt(now + aheadMilliseconds),
    conditions: [{ column: 'user_id', values: [userId] }],
  };
}

export function outcomeOf(reason: LoginReason): LoginOutcome {
  return successes.includes(reason) ? 'success' : 'failure';
}

export const failureReasons = loginReasons.filter((reason) => outcomeOf(reason) === 'failure');

/** An outcome is a set of reasons, and reasons are indexed. */
function reasonsOf({ outcome, reason }: LoginLogFilter): AnyOf[] {
  if (outcome === undefined && reason === undefined) return [];
  const values = loginReasons.filter(
    (known) =>
      (outcome === undefined || outcomeOf(known) === outcome) && (reason === undefined || known === reason),
  );
  return [{ column: 'reason', values }];
}

function checkedAddress(text: string | undefined): string | undefined {
  if (text !== undefined && isIP(text) === 0) throw new AppError('params_invalid');
  return text;
}

function checkedNetwork(text: string): string {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) throw new AppError('params_invalid');
  return text;
}
