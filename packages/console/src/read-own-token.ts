// Reads the session id and key id of the page's own token without verifying it, only to mark a row. After a reload the
// token is in an HttpOnly cookie, which scripts cannot read; then nothing is known.

export interface OwnToken {
  readonly jti: string | undefined;
  readonly kid: string | undefined;
  /** The password must be changed first. */
  readonly isDue: boolean;
}

export function readOwnToken(token: string | null | undefined): OwnToken {
  const [header = '', payload = ''] = (token ?? '').split('.');
  const claims = parsePart(payload);
  return {
    jti: textOf(claims, 'jti'),
    kid: textOf(parsePart(header), 'kid'),
    isDue: memberOf(claims, 'due') === true,
  };
}

function parsePart(part: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function memberOf(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined;
}

function textOf(part: unknown, name: string): string | undefined {
  const found = memberOf(part, name);
  return typeof found === 'string' ? found : undefined;
}
