// The session cookie `jwt` and its attributes (HttpOnly, SameSite, Secure): login sets it and logout clears it.
type Answer = { setHeader(name: string, value: string): void };

export interface TokenCookie {
  set(answer: Answer, token: string, maxAgeSeconds: number): void;
  clear(answer: Answer): void;
}

/** Browsers limit a longer lifetime to 400 days (RFC 6265bis). */
const maxAgeLimitSeconds = 400 * 86_400;

export function createTokenCookie({ enabled, secure }: { enabled: boolean; secure: boolean }): TokenCookie {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  function set(answer: Answer, token: string, maxAgeSeconds: number): void {
    if (!enabled) return;
    const maxAge = Math.min(Math.floor(maxAgeSeconds), maxAgeLimitSeconds);
    answer.setHeader('set-cookie', `jwt=${token}; Max-Age=${maxAge}; ${attributes}`);
  }
  return { set, clear: (answer) => set(answer, '', 0) };
}
