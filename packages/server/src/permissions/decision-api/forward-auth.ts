// Forward authentication for gateways (nginx `auth_request`, Envoy `ext_authz`): answers whether a request is allowed, with
// a native status, and with the caller's identity or the answer for the browser. A gateway that is configured wrongly gets
// 503: with 401, it would send every user to the login page.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, negotiateLanguage, type PermissionDeniedCode } from '@portcullis/contract';
import { ReceivedRequest } from '@portcullis/gate';
import type { Decide } from './decide.ts';
import { type GatewayHeaders, readGatewayHeaders } from './gateway-headers.ts';
import { createRefusals, isFault, type RefusalKind, refusalKindOf } from './refusal.ts';
import type { IsServiceSecret } from './service-secret.ts';

export interface ForwardAuthOptions {
  readonly isSecret: IsServiceSecret;
  readonly decide: Decide;
  readonly createRequestId: () => string;
  readonly reportFault: (fault: unknown, requestId: string) => void;
  /** Warns the operator of the gateway. The text is never part of an answer. */
  readonly reportMisuse: (text: string) => void;
  /** The specification's 401 by default. */
  readonly permissionDeniedCode?: PermissionDeniedCode;
}

interface Original {
  readonly method: string;
  readonly target: string;
}
type FindOriginal = (request: IncomingMessage, headers: GatewayHeaders) => Original | undefined;

export const envoyPrefix = '/envoy-auth';

/** nginx, Caddy, HAProxy and Traefik name the original request in two headers. */
export const findForwarded: FindOriginal = (_request, { method, uri }) =>
  method && uri ? { method, target: uri } : undefined;

/** Envoy sends the original method, and the original target after a prefix. */
export const findPrefixed: FindOriginal = ({ method = '', url = '' }) => ({
  method,
  target: url.slice(envoyPrefix.length),
});

export function createForwardAuth(options: ForwardAuthOptions) {
  const { isSecret, decide, createRequestId, reportFault, reportMisuse } = options;
  const refusalOf = createRefusals(options.permissionDeniedCode);

  function refuse(
    { headers }: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    kind: RefusalKind = 'unavailable',
  ): void {
    const refusal = refusalOf(kind, negotiateLanguage(headers['accept-language']));
    response.writeHead(refusal.status, [...refusal.headers, 'X-Request-Id', requestId]).end(refusal.body);
  }

  return function forwardAuth(
    request: IncomingMessage,
    response: ServerResponse,
    findOriginal: FindOriginal,
  ): void {
    const requestId = createRequestId();
    const headers = readGatewayHeaders(request.rawHeaders);
    if (!isSecret(headers.secret ?? '')) {
      reportMisuse('A gateway sends no X-Portcullis-Secret, a wrong one, or two.');
      refuse(request, response, requestId);
      return;
    }
    const original = findOriginal(request, headers);
    if (original === undefined) {
      reportMisuse('A gateway does not send exactly one X-Forwarded-Method and one X-Forwarded-Uri.');
      refuse(request, response, requestId);
      return;
    }
    const target = new ReceivedRequest(original.method, original.target, request, headers.cookie);
    decide(target, (error) => {
      if (error === undefined && target.caller !== undefined) {
        response.writeHead(200, identityHeaders(target.caller, requestId)).end();
        return;
      }
      const refusal = error ?? new Error('The checks passed without a caller.');
      if (isFault(refusal)) reportFault(refusal.cause ?? refusal, requestId);
      refuse(request, response, requestId, refusalKindOf(refusal));
    });
  };
}

function identityHeaders(
  { userId, username, roleId, roleKey, dataScope }: Caller,
  requestId: string,
): string[] {
  return [
    ...['X-Portcullis-User-Id', String(userId)],
    ...['X-Portcullis-Username', encodeURIComponent(username.toWellFormed())],
    ...['X-Portcullis-Role-Id', String(roleId)],
    ...['X-Portcullis-Role-Key', roleKey],
    ...['X-Portcullis-Data-Scope', dataScope],
    ...['X-Request-Id', requestId],
    ...['Cache-Control', 'no-store'],
    ...['Content-Length', '0'],
  ];
}
