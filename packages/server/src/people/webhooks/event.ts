// A webhook event: one record of the audit log or the login log, as it is sent to a receiver. It contains only data of the record,
// and a record is always sent with the same id.
import type { EventLog, LoginEventKind } from '@portcullis/contract';
import type { LoginRow } from '../../logs/login-log/login-row.ts';

/** A record: its position in the log, and the data that is sent. */
export interface LogEvent {
  readonly log: EventLog;
  /** The id of the record, and so of the event. */
  readonly id: string;
  readonly kind: string;
  /** What the event is about. Events of one object are delivered in order. */
  readonly object: string;
  readonly at: Date;
  /** The chain of a login record; null for an audit record. */
  readonly chain: string | null;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of the request: according to Standard Webhooks, with the position of the record in its log. */
export function bodyOf({ id, kind, at, log, object, chain, seq, data }: LogEvent): string {
  return JSON.stringify({ id, type: kind, timestamp: at.toISOString(), log, object, chain, seq, data });
}

/** Whether the webhook subscribes to the event. A test event is for the tested webhook only, whatever its subscriptions. */
export function isWanted(
  { id, kinds }: { readonly id: number; readonly kinds: readonly string[] },
  { kind, object }: Pick<LogEvent, 'kind' | 'object'>,
): boolean {
  if (kind === testKind) return object === objectOf(id);
  return kinds.length === 0 || kinds.some((wanted) => covers(wanted, kind));
}

export const testKind = 'webhook.test';

export function objectOf(webhookId: number): string {
  return `webhook ${webhookId}`;
}

function covers(wanted: string, kind: string): boolean {
  return wanted.endsWith('.*') ? kind.startsWith(wanted.slice(0, -1)) : kind === wanted;
}

export interface AuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly actor_id: number;
  readonly actor_name: string;
  readonly actor_role: string;
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly request_id: string;
  readonly ip: string;
}

export function eventOfAudit(record: AuditRecord, seq: number): LogEvent {
  return {
    log: 'audit',
    id: record.id,
    kind: record.action,
    object: record.target,
    at: record.at,
    chain: null,
    seq,
    data: {
      actorId: record.actor_id,
      actorName: record.actor_name,
      actorRole: record.actor_role,
      before: record.before,
      after: record.after,
      requestId: record.request_id,
      ip: record.ip,
    },
  };
}

export interface LoginRecordRow extends Omit<LoginRow, 'at' | 'jti' | 'credential_id' | 'provider'> {
  readonly at: Date | string;
  readonly chain: string | null;
  readonly seq: number;
}

/** Omits what identifies the session: a receiver must not be able to end the session of a login. */
export function eventOfLogin(row: LoginRecordRow): LogEvent {
  return {
    log: 'login',
    id: row.id,
    kind: loginKindOf(row),
    object: row.user_id === null ? `name ${row.username ?? ''}` : `user ${row.user_id}`,
    at: new Date(row.at),
    chain: row.chain,
    seq: row.seq,
    data: {
      username: row.username,
      userId: row.user_id,
      roleKey: row.role_key,
      outcome: row.outcome,
      reason: row.reason,
      method: row.method ?? null,
      ip: row.ip,
      userAgent: row.user_agent,
      browser: row.browser,
      os: row.os,
      platform: row.platform,
      location: row.location,
      requestId: row.request_id,
      instance: row.instance,
    },
  };
}

function loginKindOf({ outcome, reason }: LoginRecordRow): LoginEventKind {
  if (reason === 'logout') return 'login.logout';
  return outcome === 'success' ? 'login.success' : 'login.failure';
}
