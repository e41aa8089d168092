// A webhook event: one record of the audit log or the login log, as it is sent to a receiver. It contains only data of the record,
// and a record is always sent with the same id.
import type { EventLog, LoginEventType } from '@portcullis/contract';
import type { LoginRow } from '../../logs/login-log/login-row.ts';

/** A record: its position in the log, and the data that is sent. */
export interface LogEvent {
  readonly log: EventLog;
  /** The id of the record, and so of the event. */
  readonly id: string;
  readonly type: string;
  /** What the event is about. Events of one object are delivered in order. */
  readonly object: string;
  readonly at: Date;
  /** The chain of a login record; null for an audit record. */
  readonly chain: string | null;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of the request: according to Standard Webhooks, with the position of the record in its log. */
export function bodyOf({ id, type, at, log, object, chain, seq, data }: LogEvent): string {
  return JSON.stringify({ id, type, timestamp: at.toISOString(), log, subject: object, chain, seq, data });
}

/** Whether the webhook subscribes to the event. A test event is for the tested webhook only, whatever its subscriptions. */
export function isWanted(
  { id, types }: { readonly id: number; readonly types: readonly string[] },
  { type, object }: Pick<LogEvent, 'type' | 'object'>,
): boolean {
  if (type === testType) return object === objectOf(id);
  return types.length === 0 || types.some((wanted) => covers(wanted, type));
}

export const testType = 'webhook.test';

export function objectOf(webhookId: number): string {
  return `webhook ${webhookId}`;
}

function covers(wanted: string, type: string): boolean {
  return wanted.endsWith('.*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
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
    type: record.action,
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
    type: loginTypeOf(row),
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

function loginTypeOf({ outcome, reason }: LoginRecordRow): LoginEventType {
  if (reason === 'logout') return 'login.logout';
  return outcome === 'success' ? 'login.success' : 'login.failure';
}
