// Derives the errors that an endpoint can answer with from its declaration.
import { displayNamePattern } from '../display-name.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ErrorKind } from './error-table.ts';

const everywhere = ['rate_limited', 'unavailable', 'internal'] as const;
const ofTokens = [
  'token_missing',
  'token_malformed',
  'token_expired',
  'token_revoked',
  'cross_site',
] as const;

export function errorsOf(endpoint: Endpoint): ErrorKind[] {
  const { access, method, params, query, body, forDuePassword } = endpoint;
  const isPublic = access === 'public';
  const takesBody = body !== undefined;
  const text = JSON.stringify(body ?? {});
  const takesPassword = text.includes('"password"') || text.includes('"newPassword"');
  const hasName = text.includes(JSON.stringify(displayNamePattern));
  const isLogin = isPublic && text.includes('"password"');
  const asksForPassword = isLogin || text.includes('"oldPassword"');
  const rows: [boolean, readonly ErrorKind[]][] = [
    [!isPublic, ofTokens],
    [!isPublic && forDuePassword !== true, ['password_change_required']],
    [access === 'permission', ['permission_denied']],
    [access === 'permission' && method !== 'GET', ['exceeds_own_permissions']],
    [takesBody || query !== undefined || params !== undefined, ['params_invalid']],
    [hasName, ['name_unclear']],
    [isLogin, ['captcha_missing', 'captcha_wrong']],
    [asksForPassword, ['credentials_wrong']],
    [takesPassword && !isLogin, ['password_weak']],
    [!isPublic && (params !== undefined || query !== undefined || takesBody), ['record_not_found']],
    [!isPublic && method !== 'GET', ['conflict']],
    [text.includes('"ifRevision"'), ['revision_conflict']],
    [true, endpoint.errors ?? []],
    [takesBody, ['body_too_large', 'content_type_wrong']],
  ];
  return [...rows.flatMap(([applies, kinds]) => (applies ? kinds : [])), ...everywhere];
}
