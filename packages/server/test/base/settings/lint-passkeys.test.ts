import { describe, expect, it } from 'vitest';
import { masterKey } from '../../../../../test/rig/master-key.ts';
import { loadConfig } from '../../../src/base/settings/config.ts';
import { lintPasskeys } from '../../../src/base/settings/lint-passkeys.ts';

const domain = 'example.com';
const isRefused = (origin: string, isDev: boolean) =>
  lintPasskeys({ passkeyDomain: domain, passkeyOrigins: [origin] }, isDev).length > 0;

describe('the domain of passkeys', () => {
  it.each([
    'https://example.com',
    'example.com:8443',
    'example.com/',
    'Example.com',
    '.example.com',
    'example.com.',
    'exa mple.com',
    '*.example.com',
    '192.0.2.1',
    '[::1]',
    '-a.com',
    `${'a'.repeat(64)}.com`,
  ])('is not %s', (text) => {
    expect(lintPasskeys({ passkeyDomain: text, passkeyOrigins: [] }, true)).toEqual([
      expect.stringContaining('not a host name'),
    ]);
  });

  it.each(['example.com', 'admin.example.co.uk', 'localhost', 'xn--bcher-kva.example', 'a1.b2.c3'])(
    'can be %s',
    (text) => {
      expect(lintPasskeys({ passkeyDomain: text, passkeyOrigins: [] }, false)).toEqual([]);
    },
  );

  it('is not empty where there are origins', () => {
    expect(lintPasskeys({ passkeyDomain: '', passkeyOrigins: ['https://example.com'] }, false)).toHaveLength(
      1,
    );
    expect(lintPasskeys({ passkeyDomain: '', passkeyOrigins: [] }, false)).toEqual([]);
  });
});

describe('an origin of passkeys', () => {
  it.each([
    'http://example.com',
    'https://example.com/',
    'https://example.com/console',
    'https://user@example.com',
    'https://notexample.com',
    'https://example.com.evil.example',
    'https://evil.example',
    'https://*.example.com',
    'example.com',
    'null',
    '*',
  ])('is not %s, in dev neither', (origin) => {
    expect([isRefused(origin, false), isRefused(origin, true)]).toEqual([true, true]);
  });

  it.each(['https://example.com', 'https://admin.example.com', 'https://example.com:8443'])(
    'can be %s',
    (origin) => {
      expect([isRefused(origin, false), isRefused(origin, true)]).toEqual([false, false]);
    },
  );

  it('is without TLS on localhost in dev alone', () => {
    const given = { passkeyDomain: 'localhost', passkeyOrigins: ['http://localhost:5173'] };
    expect(lintPasskeys(given, true)).toEqual([]);
    expect(lintPasskeys(given, false)).toHaveLength(1);
    expect(lintPasskeys({ ...given, passkeyOrigins: ['http://127.0.0.1:5173'] }, true)).toHaveLength(1);
  });
});

describe('the settings', () => {
  const load = (environment: Record<string, string>) =>
    loadConfig({ environment: { AUTH_MASTER_KEY: masterKey, ...environment } });

  it('refuse a start with such a domain or origin', () => {
    expect(() => load({ MFA_PASSKEY_DOMAIN: 'https://example.com' })).toThrow('not a host name');
    expect(() =>
      load({ MFA_PASSKEY_DOMAIN: domain, MFA_PASSKEY_ORIGINS: '["https://evil.example"]' }),
    ).toThrow('evil.example');
  });

  it('derive the origin from the domain where none is given', () => {
    expect(load({ MFA_PASSKEY_DOMAIN: domain }).mfa.passkeyOrigins).toEqual([`https://${domain}`]);
    const given = { MFA_PASSKEY_DOMAIN: domain, MFA_PASSKEY_ORIGINS: `["https://admin.${domain}"]` };
    expect(load(given).mfa.passkeyOrigins).toEqual([`https://admin.${domain}`]);
    expect(load({}).mfa).toMatchObject({ passkeyDomain: '', passkeyOrigins: [] });
  });
});
