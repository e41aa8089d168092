// The question of the explain page: a user or role, a method and a path. It is stored in the address of the page.
import type { client } from '../../client.ts';

export type Explained = Awaited<ReturnType<typeof client.explain>>['data'];
export type Step = Explained['step'];

export type Subject = { readonly roleKey: string } | { readonly userId: number };
export interface Call {
  readonly method: string;
  readonly path: string;
}
export interface Question extends Call {
  readonly subject: Subject;
}

/** The methods that a rule can name. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

const roleKeyPattern = /^[a-z][a-z0-9_-]{0,31}$/;

export function isRoleKey(text: string): boolean {
  return roleKeyPattern.test(text);
}

type Query = Readonly<Record<string, unknown>>;

/** If the address names both a user and a role, the user wins: the service accepts only one. */
export function readSubject({ roleKey, userId }: Query): Subject | undefined {
  if (typeof userId === 'string' && /^[1-9]\d{0,14}$/.test(userId)) return { userId: Number(userId) };
  return typeof roleKey === 'string' && isRoleKey(roleKey) ? { roleKey } : undefined;
}

/** Undefined if a part is missing or malformed; the form then handles it. */
export function readQuestion(query: Query): Question | undefined {
  const { method, path } = query;
  const subject = readSubject(query);
  if (subject === undefined || typeof method !== 'string' || typeof path !== 'string') return undefined;
  return method === '' || path === '' ? undefined : { subject, method, path };
}

/**
 * Normalises pasted text: a full URL, a line of a log, or a path with a query. The query is dropped, because decisions ignore it.
 * @example readCall('GET', 'DELETE https://shop.example/api/v1/orders/7?force=1'); // DELETE /api/v1/orders/7
 */
export function readCall(method: string, pasted: string): Call {
  const [, named, rest = ''] = /^(?:([A-Za-z]{3,10})\s+)?(.*)$/s.exec(pasted.trim()) ?? [];
  const [, afterHost = rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(rest) ?? [];
  const [path = ''] = afterHost.split(/[?#\s]/);
  return { method: (named ?? method).toUpperCase(), path: path.startsWith('/') ? path : `/${path}` };
}
