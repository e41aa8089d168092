// Routes of the login log (list, counts, top failures, live tail, CSV export), limited to the caller's data scope.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type Caller,
  countLoginLogsEndpoint,
  defaultPageLimit,
  exportLoginLogsEndpoint,
  type LoginLogFilter,
  type LoginLogItem,
  listLoginLogsEndpoint,
  loginLogFields,
  type Pieces,
  type Route,
  route,
  tailLoginLogsEndpoint,
  topLoginFailuresEndpoint,
} from '@portcullis/contract';
import { createConcurrencyLimit } from '../../../base/limit/concurrency-limit.ts';
import { byteOrderMark, csvLine } from '../../../base/values/csv.ts';
import type { Page } from '../../../cluster/store/page.ts';
import { parseMoment } from '../../../cluster/store/parse-moment.ts';
import { firstIdAt } from '../../../cluster/store/uuid-v7.ts';
import type { Pseudonymize } from '../pseudonym.ts';
import { readPage } from './page-store.ts';
import { narrowToScope, type ScopeSource } from './scope-store.ts';
import { isOfReasons, parseSearch, type Search } from './search.ts';
import { countByHour, countKeptByHour, findTopFailures } from './sums-store.ts';
import { type Poll, tail } from './tail.ts';

interface LoginLogRoutesOptions extends ScopeSource {
  /** The pseudonym of a name without an account, for each master key. */
  readonly hideNames: readonly Pseudonymize[];
  readonly now: () => number;
  readonly monotonic: () => number;
}

const hour = 3_600_000;
const day = 24 * hour;
const longestCount = 92 * day;
const longestTop = 31 * day;
const mostTails = 32;
const mostExports = 8;
const exportPage = 1000;
const lookMilliseconds = 1000;
/** How many records one poll of a tail sends at most, and how many pages it reads for them. */
const mostOfLook = 500;
const pagesOfLook = 5;

export function loginLogRoutes(options: LoginLogRoutesOptions): Route[] {
  const { store, now, monotonic } = options;
  const tails = createConcurrencyLimit(mostTails);
  const exports = createConcurrencyLimit(mostExports);
  const namesOf = (name: string) => [name, ...options.hideNames.map((hide) => hide(name))];

  async function read(search: Search, caller: Caller, limit: number, after?: string) {
    return await readPage(store, await narrowToScope(options, search, caller), { after, limit, monotonic });
  }

  async function look(search: Search, caller: Caller): Promise<Poll> {
    const items: LoginLogItem[] = [];
    let next: string | null | undefined;
    for (let pages = 0; next !== null && pages < pagesOfLook && items.length < mostOfLook; pages += 1) {
      const page: Page<LoginLogItem> = await read(search, caller, mostOfLook, next);
      items.push(...page.items);
      next = page.next;
    }
    return { items, complete: next === null };
  }

  /** Reads the data scope again for each page, because it can change meanwhile. */
  async function* exported(search: Search, caller: Caller, signal: AbortSignal): Pieces {
    let next: string | null | undefined;
    let header = byteOrderMark + csvLine(loginLogFields);
    while (next !== null && !signal.aborted) {
      const page: Page<LoginLogItem> = await read(search, caller, exportPage, next);
      yield header + page.items.map((item) => csvLine(loginLogFields.map((field) => item[field]))).join('');
      header = '';
      next = page.next;
    }
  }

  return [
    route(
      listLoginLogsEndpoint,
      async ({ caller, query: { after, limit = defaultPageLimit, ...filter } }) => ({
        data: await read(parseSearch(filter, now(), namesOf), caller, limit, after),
      }),
    ),
    route(countLoginLogsEndpoint, async ({ caller, query }) => {
      const range = wholeHours(rangeOf(query, now(), longestCount));
      const search = parseSearch({ ...query, ...textOf(range) }, now(), namesOf);
      const counted =
        caller.dataScope === '1' && isOfReasons(search)
          ? await countKeptByHour(store, range, search.conditions)
          : await countByHour(store, await narrowToScope(options, search, caller));
      return { data: { ...textOf(range), ...counted } };
    }),
    route(topLoginFailuresEndpoint, async ({ caller, query }) => {
      const { from, to } = rangeOf(query, now(), longestTop);
      const search = await narrowToScope(options, searchIn(from, to), caller);
      return { data: { ...textOf({ from, to }), ...(await findTopFailures(store, search)) } };
    }),
    route(tailLoginLogsEndpoint, (call) => {
      const search = parseSearch(call.query, now(), namesOf);
      // Otherwise proxies buffer events.
      call.setHeader('x-accel-buffering', 'no');
      return tails.hold(() =>
        tail({
          poll: (lowest) => look(lowest < search.lower ? search : { ...search, lower: lowest }, call.caller),
          pause: () => sleep(lookMilliseconds, undefined, { signal: call.signal }),
          now,
        }),
      );
    }),
    route(exportLoginLogsEndpoint, (call) => {
      const search = parseSearch(call.query, now(), namesOf);
      call.setHeader('content-disposition', 'attachment; filename="login-log.csv"');
      return exports.hold(() => exported(search, call.caller, call.signal));
    }),
  ];
}

type Range = Pick<LoginLogFilter, 'from' | 'to'>;

function rangeOf({ from, to }: Range, now: number, longest: number): { from: number; to: number } {
  const end = to === undefined ? now : parseMoment(to);
  const start = from === undefined ? end - day : parseMoment(from);
  if (start > end || end - start > longest) throw new AppError('params_invalid');
  return { from: start, to: end };
}

/** Widens a range to whole hours. */
function wholeHours({ from, to }: { from: number; to: number }): { from: number; to: number } {
  return { from: Math.floor(from / hour) * hour, to: Math.ceil(to / hour) * hour };
}

function searchIn(from: number, to: number): Search {
  return { lower: firstIdAt(from), upper: firstIdAt(to), conditions: [] };
}

function textOf({ from, to }: { from: number; to: number }): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
