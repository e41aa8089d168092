// SQL that reads the next events for a webhook: the records of both logs after the webhook's position. The audit log is numbered at
// the commit, and a chain of the login log is stored in order, so no record appears before a position that was passed.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import { readRejectedRecord } from '../../logs/login-log/rejected-record.ts';
import { isStorable } from '../users/user-store.ts';
import { type AuditRecord, eventOfAudit, eventOfLogin, type LogEvent, type LoginRecordRow } from './event.ts';

/** The position of a webhook in one chain of the login log. */
export interface LoginLogPosition {
  readonly chain: string;
  readonly seq: number;
  readonly id: string;
}

/** The next events in order, and the positions in both logs after them. */
export interface LogRange {
  readonly events: readonly LogEvent[];
  readonly auditSeq: number;
  readonly positions: readonly LoginLogPosition[];
  /** How many records no longer exist. */
  readonly gone: number;
  /** Whether there are more records than the limit. */
  readonly isMore: boolean;
}

interface WebhookPosition {
  readonly id: number;
  readonly auditSeq: number;
}

const auditColumns = sql`audit_log.id, audit_log.at, actor_id, actor_name, actor_role, action, target, before, after,
  request_id, host(ip) as ip`;
const loginColumns = sql`id, at, username, user_id, role_key, outcome, reason, host(ip) as ip, user_agent, browser, os,
  platform, location, request_id, instance, method, chain, seq`;

export async function readLogRange(
  store: Store,
  webhook: WebhookPosition,
  { limit, withLogins }: { readonly limit: number; readonly withLogins: boolean },
): Promise<LogRange> {
  const audit = await readAudit(store, webhook, limit);
  const logins = withLogins ? await readLogins(store, webhook.id, limit) : nothing;
  return {
    events: [...audit.events, ...logins.events],
    auditSeq: audit.seq,
    positions: logins.places,
    gone: audit.gone + logins.gone,
    isMore: audit.isMore || logins.isMore,
  };
}

async function readAudit(store: Store, { auditSeq }: WebhookPosition, limit: number) {
  const { rows } = await sql<AuditRecord & { seq: number; record_id: string | null }>`
    select place.seq, audit_log.id as record_id, ${auditColumns}
    from audit_log_chain as place left join audit_log on audit_log.id = place.id
    where place.seq > ${auditSeq} order by place.seq limit ${limit}`.execute(store);
  const there = rows.filter(({ record_id }) => record_id !== null);
  return {
    events: there.map((row) => eventOfAudit(row, row.seq)),
    seq: rows.at(-1)?.seq ?? auditSeq,
    gone: rows.length - there.length,
    isMore: rows.length === limit,
  };
}

const nothing = { events: [] as LogEvent[], places: [] as LoginLogPosition[], gone: 0, isMore: false };

interface Chain extends LoginLogPosition {
  readonly lastSeq: number;
  readonly lastId: string;
}

/** How many chains are read at a time; the others follow in the next batch. */
const mostChains = 16;

/** Merges the records of several chains in the order of time: ids begin with the time, and grow within a chain. */
async function readLogins(store: Store, webhookId: number, limit: number) {
  const { rows: chains } = await sql<Chain>`
    select noted.chain, coalesce(place.seq, noted.first_seq - 1) as seq, coalesce(place.id, noted.first_id) as id,
      noted.seq as "lastSeq", noted.id as "lastId"
    from login_log_chains as noted
    left join webhook_places as place on place.hook_id = ${webhookId} and place.chain = noted.chain
    where noted.seq > coalesce(place.seq, noted.first_seq - 1) order by 3 limit ${mostChains}`.execute(store);
  const read = [];
  for (const chain of chains) read.push({ chain, records: await readChain(store, chain, limit) });
  const all = read.flatMap(({ records }) => records).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const taken = new Set(all.slice(0, limit));
  const positions: LoginLogPosition[] = [];
  let gone = 0;
  for (const { chain, records } of read) {
    const included = records.filter((record) => taken.has(record));
    const isWhole = included.length === records.length && records.length < limit;
    const last = included.at(-1);
    const seq = isWhole ? chain.lastSeq : (last?.seq ?? chain.seq);
    if (seq === chain.seq) continue;
    gone += seq - chain.seq - included.length;
    positions.push({ chain: chain.chain, seq, id: isWhole ? chain.lastId : (last?.id ?? chain.id) });
  }
  const isMore = taken.size === limit || chains.length === mostChains;
  return { events: [...taken].map(eventOfLogin), places: positions, gone, isMore };
}

/** Reads by id, along the primary key, so that the log needs no index of its chains. Adds the rejected records of the chain. */
async function readChain(store: Store, chain: Chain, limit: number): Promise<LoginRecordRow[]> {
  const { rows } = await sql<LoginRecordRow>`
    select ${loginColumns} from login_log
    where id >= ${chain.id} and id <= ${chain.lastId} and chain = ${chain.chain} and seq > ${chain.seq}
    order by id limit ${limit}`.execute(store);
  const { rows: rejected } = await sql<{ raw: Buffer }>`
    select raw from login_log_dead_letters
    where chain = ${chain.chain} and seq > ${chain.seq} and seq <= ${chain.lastSeq}`.execute(store);
  if (rejected.length === 0) return rows;
  return [...rows, ...rejected.flatMap(readRejected)].toSorted((a, b) => a.seq - b.seq).slice(0, limit);
}

/** Empty if the rejected record cannot be sent as an event: it counts as `gone`, and the later records are delivered. */
function readRejected({ raw }: { readonly raw: Buffer }): LoginRecordRow[] {
  const row = readRejectedRecord(raw, null)?.row;
  if (row === undefined || Number.isNaN(Date.parse(row.at))) return [];
  return isStorable(eventOfLogin(row).object) ? [row] : [];
}

/** The events of these records, by id. A record that no longer exists is missing. */
export async function readEvents(
  store: Store,
  audit: readonly string[],
  logins: readonly string[],
): Promise<Map<string, LogEvent>> {
  const events: LogEvent[] = [];
  if (audit.length > 0) {
    const { rows } = await sql<AuditRecord & { seq: number }>`
      select place.seq, ${auditColumns} from audit_log join audit_log_chain as place on place.id = audit_log.id
      where audit_log.id = any(${audit}::uuid[])`.execute(store);
    events.push(...rows.map((row) => eventOfAudit(row, row.seq)));
  }
  if (logins.length > 0) {
    const { rows } = await sql<LoginRecordRow>`
      select ${loginColumns} from login_log where id = any(${logins}::uuid[])`.execute(store);
    const { rows: rejected } = await sql<{ raw: Buffer }>`
      select raw from login_log_dead_letters where id = any(${logins}::uuid[])`.execute(store);
    events.push(...[...rows, ...rejected.flatMap(readRejected)].map(eventOfLogin));
  }
  return new Map(events.map((event) => [event.id, event]));
}
