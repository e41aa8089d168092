import { describe, expect, it } from 'vitest';
import { createTokenCookie, type TokenCookie } from '../../../src/sign-in/login/cookie.ts';

function headersOf(use: (answer: { setHeader(name: string, value: string): void }) => void): string[] {
  const headers: string[] = [];
  use({ setHeader: (name, value) => void headers.push(`${name}: ${value}`) });
  return headers;
}
const setBy = (cookie: TokenCookie, seconds: number) =>
  headersOf((answer) => cookie.set(answer, 'a.b.c', seconds));

describe('the cookie', () => {
  const secure = createTokenCookie({ enabled: true, secure: true });

  it('is neither set nor cleared when the setting says no', () => {
    const off = createTokenCookie({ enabled: false, secure: true });
    expect(setBy(off, 3600)).toEqual([]);
    expect(headersOf((answer) => off.clear(answer))).toEqual([]);
  });

  it('is not readable by scripts, not sent by other sites, and never sent without TLS', () => {
    expect(setBy(secure, 3600)).toEqual([
      'set-cookie: jwt=a.b.c; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict; Secure',
    ]);
  });

  it('may go in the clear in dev', () => {
    const dev = createTokenCookie({ enabled: true, secure: false });
    expect(setBy(dev, 3600)).toEqual([
      'set-cookie: jwt=a.b.c; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict',
    ]);
  });

  it.each([
    [3599.999, 3599],
    [0.5, 0],
    [34_560_000, 34_560_000],
    [3_153_636_000, 34_560_000],
  ])('of %d seconds lives %i: no longer than the token, nor than browsers allow', (seconds, maxAge) => {
    expect(setBy(secure, seconds)).toEqual([expect.stringContaining(`; Max-Age=${maxAge}; `)]);
  });

  it('is cleared with the attributes that it was set with', () => {
    expect(headersOf((answer) => secure.clear(answer))).toEqual([
      'set-cookie: jwt=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
    ]);
  });
});
