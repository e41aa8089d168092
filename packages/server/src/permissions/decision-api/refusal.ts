// Error answers for gateways: a native status that no gateway can interpret as "allowed", and in headers the answer for the
// browser. All answers are built once at the start, so that a refusal costs no more than an allowed request.
import {
  AppError,
  codeOf,
  type ErrorKind,
  errorTable,
  jsonContentType,
  type Language,
  languages,
  type PermissionDeniedCode,
} from '@portcullis/contract';

/** Every other error is `unavailable`, because it is unknown whether the request would have been allowed. */
const nativeStatuses = {
  token_missing: 401,
  token_malformed: 401,
  token_expired: 401,
  token_revoked: 401,
  cross_site: 401,
  permission_denied: 403,
  password_change_required: 403,
  route_not_found: 403,
  unavailable: 503,
} as const satisfies Partial<Record<ErrorKind, number>>;
export type RefusalKind = keyof typeof nativeStatuses;

export interface Refusal {
  readonly status: number;
  /** Names and values alternate: Node writes this form fastest. */
  readonly headers: readonly string[];
  readonly body: string;
}

export type RefusalOf = (kind: RefusalKind, language: Language) => Refusal;

export function createRefusals(permissionDenied?: PermissionDeniedCode): RefusalOf {
  const refusals = Object.fromEntries(
    (Object.keys(nativeStatuses) as RefusalKind[]).map((kind) => [
      kind,
      Object.fromEntries(
        languages.map((language) => [language, writeRefusal(kind, language, permissionDenied)]),
      ),
    ]),
  ) as Record<RefusalKind, Record<Language, Refusal>>;
  return (kind, language) => refusals[kind][language];
}

/** Returns `unavailable` for every error that is not a decision to refuse the request. */
export function refusalKindOf(error: Error): RefusalKind {
  return error instanceof AppError && isRefusalKind(error.kind) ? error.kind : 'unavailable';
}

/** Whether the error belongs in the log. A lost lease is logged once when it is lost, not with every request. */
export function isFault(error: Error): boolean {
  if (!(error instanceof AppError) || !isRefusalKind(error.kind)) return true;
  return error.kind === 'unavailable' && error.cause !== undefined;
}

function isRefusalKind(kind: ErrorKind): kind is RefusalKind {
  return Object.hasOwn(nativeStatuses, kind);
}

function writeRefusal(
  kind: RefusalKind,
  language: Language,
  permissionDenied?: PermissionDeniedCode,
): Refusal {
  const { status, text, code: _, ...row } = errorTable[kind];
  const code = codeOf(kind, permissionDenied);
  const body = toAscii(JSON.stringify({ code, msg: text[language] }));
  const headers = [
    ...('reason' in row ? ['X-Auth-Reason', row.reason] : []),
    ...['X-Portcullis-Status', String(status)],
    ...['X-Portcullis-Body', body],
    ...['Content-Type', jsonContentType],
    ...['Content-Length', String(body.length)],
    ...['Cache-Control', 'no-store'],
  ];
  return { status: nativeStatuses[kind], headers, body };
}

/** Escapes the body to ASCII, because a gateway receives it in a header and copies it into a body. */
function toAscii(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
