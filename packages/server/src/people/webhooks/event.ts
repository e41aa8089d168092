// An event: one record of the audit log or the login log, as it is told to others. Nothing is told that is not in them, and
// a record is always told with the same id.
import type { EventLog, LoginEventKind } from '@portcullis/contract';
import type { LoginRow } from '../../logs/login-log/login-row.ts';

/** Where a record stands, and what is told of it. */
export interface LogEvent {
  readonly log: EventLog;
  /** Of the record, and so of the event. */
  readonly id: string;
  readonly kind: string;
  /** What it is about: events of one object are told in their order. */
  readonly object: string;
  readonly at: Date;
  /** Of the login log: the chain that the record is in. */
  readonly chain: string | null;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What is sent: as Standard Webhooks has it, with where the record stands. */
export function bodyOf({ id, kind, at, log, object, chain, seq, data }: LogEvent): string {
  return JSON.stringify({ id, type: kind, timestamp: at.toISOString(), log, object, chain, seq, data });
}

/** Whether a hook wants to hear of it. A test is for the hook that is tested, whatever else it wants. */
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

/** Without what names a session: whoever is told of a login must not be able to end it. */
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
