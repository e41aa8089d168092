// Error handling of the client: classifies every answer of the service. Only an HTTP success with code 200 is a success.
// An answer that is not from the service is an error, and never signs the user out.

import type { ChangedDetails, FactorDetails } from '@portcullis/contract';

type AnswerErrorKind =
  /** The token is missing, expired or revoked: sign in again. */
  | 'signed_out'
  /** Signed in, but the role does not allow the call. */
  | 'not_allowed'
  /** Signed in, but the password must be changed first. */
  | 'password_change_required'
  /** Refused by the CSRF check: a change with the cookie's token that did not come from the application. */
  | 'cross_site'
  /** Wait for `retryAfterSeconds`. */
  | 'rate_limited'
  /** Invalid input; `reason` distinguishes a wrong password from a wrong captcha. */
  | 'invalid'
  | 'not_found'
  | 'conflict'
  /** The service cannot answer now. */
  | 'unavailable'
  | 'fault'
  /** Not an answer of the service, such as a page of a proxy, or an unknown code. */
  | 'not_understood';

export type ClientErrorKind =
  | AnswerErrorKind
  /** No answer, or a truncated one. */
  | 'network'
  /** No answer within `limitSeconds`. The service can have made the change. */
  | 'timed_out'
  /** Aborted by the call's signal. */
  | 'aborted';

const kindsOfCodes: ReadonlyMap<unknown, AnswerErrorKind> = new Map([
  [400, 'invalid'],
  [404, 'not_found'],
  [409, 'conflict'],
  [413, 'invalid'],
  [415, 'invalid'],
  [429, 'rate_limited'],
  [500, 'fault'],
  [503, 'unavailable'],
]);

interface Facts {
  /** The HTTP status. */
  readonly status: number;
  /** `code` of the body. */
  readonly code: unknown;
  /** The header X-Auth-Reason. */
  readonly reason?: string | null | undefined;
}

/** @example classify({ status: 200, code: 401, reason: 'permission_denied' }) // 'not_allowed' */
export function classify({ status, code, reason }: Facts): 'success' | AnswerErrorKind {
  if (code === 200) return status >= 200 && status < 300 ? 'success' : 'not_understood';
  if (code === 403 && reason === 'password_change_required') return 'password_change_required';
  // The code is 403 if the service is set to go-admin's codes.
  if ((code === 401 || code === 403) && reason === 'permission_denied') return 'not_allowed';
  if (code !== 401) return kindsOfCodes.get(code) ?? 'not_understood';
  // Also without a readable reason (Spec, Errors 2): asking the user to sign in once too often is better than never asking.
  return reason === 'cross_site' ? 'cross_site' : 'signed_out';
}

interface ErrorFacts {
  readonly status?: number | undefined;
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  readonly msg?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly details?: ChangedDetails | undefined;
  readonly nextStep?: FactorDetails | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** The error that every failed call throws. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** `code` of the body, if it was an answer of the service. */
  readonly code: number | undefined;
  /** The header X-Auth-Reason: `token_expired`, `credentials_wrong` and so on. */
  readonly reason: string | undefined;
  /** The message of the service for the user, in the user's language; undefined if there was none. */
  readonly msg: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** After a conflict with another user's change: the current record. */
  readonly details: ChangedDetails | undefined;
  /** After a login that needs a second factor: what completes the login. */
  readonly nextStep: FactorDetails | undefined;
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined;

  constructor(kind: ClientErrorKind, facts: ErrorFacts = {}, message: string = facts.msg ?? kind) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'ClientError';
    this.kind = kind;
    this.status = facts.status;
    this.code = facts.code;
    this.reason = facts.reason;
    this.msg = facts.msg;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.details = facts.details;
    this.nextStep = facts.nextStep;
    this.requestId = facts.requestId;
  }
}

/** An answer, independent of the HTTP library that received it. */
export interface ReceivedAnswer {
  readonly status: number;
  /** The parsed JSON; an answer that is not JSON is not from the service. */
  readonly body: unknown;
  /** Takes the name of the header in lower case. */
  header(name: string): unknown;
}

/**
 * Returns the error that the answer means; undefined only for a success.
 * @example findError({ status, body, header: (name) => headers[name] })
 */
export function findError({ status, body, header }: ReceivedAnswer): ClientError | undefined {
  const { code, msg, requestId, details }: Record<string, unknown> =
    typeof body === 'object' ? { ...body } : {};
  const reason = textOf(header('x-auth-reason'));
  const kind = classify({ status, code, reason });
  if (kind === 'success') return undefined;
  const common = {
    status,
    retryAfterSeconds: parseSeconds(textOf(header('retry-after'))),
    requestId: textOf(header('x-request-id')) ?? textOf(requestId),
  };
  // A refusal by the service always has a message. An answer without one is not from the service.
  if (kind === 'not_understood' || typeof msg !== 'string') return new ClientError('not_understood', common);
  const told = { details: readDetails(details), nextStep: readNextStep(details) };
  return new ClientError(kind, { ...common, code: Number(code), reason, msg, ...told });
}

function readDetails(value: unknown): ChangedDetails | undefined {
  const { revision, current }: Record<string, unknown> = typeof value === 'object' ? { ...value } : {};
  if (typeof revision !== 'number' || typeof current !== 'object' || current === null) return undefined;
  return { revision, current: { ...current } };
}

function readNextStep(value: unknown): FactorDetails | undefined {
  const { methods, enrol, codeRequired }: Record<string, unknown> =
    typeof value === 'object' ? { ...value } : {};
  if (!Array.isArray(methods) || !Array.isArray(enrol) || typeof codeRequired !== 'boolean') return undefined;
  return { methods: [...methods], enrol: [...enrol], codeRequired };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function parseSeconds(text = ''): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
