import { describe, expect, it } from 'vitest';
import { masterKey } from '../../../../../test/rig/master-key.ts';
import { loadConfig } from '../../../src/base/settings/config.ts';
import { lintPasskeys } from '../../../src/base/settings/lint-passkeys.ts';

const domain = 'example.com';
const isRefused = (origin: string, isDev: boolean) =>
  lintPasskeys({ domain, origins: [origin] }, isDev).length > 0;

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
    expect(lintPasskeys({ domain: text, origins: [] }, true)).toEqual([
      expect.stringContaining('no host name'),
    ]);
  });

  it.each(['example.com', 'admin.example.co.uk', 'localhost', 'xn--bcher-kva.example', 'a1.b2.c3'])(
    'can be %s',
    (text) => {
      expect(lintPasskeys({ domain: text, origins: [] }, false)).toEqual([]);
    },
  );

  it('is not empty where there are origins', () => {
    expect(lintPasskeys({ domain: '', origins: ['https://example.com'] }, false)).toHaveLength(1);
    expect(lintPasskeys({ domain: '', origins: [] }, false)).toEqual([]);
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
    const given = { domain: 'localhost', origins: ['http://localhost:5173'] };
    expect(lintPasskeys(given, true)).toEqual([]);
    expect(lintPasskeys(given, false)).toHaveLength(1);
    expect(lintPasskeys({ ...given, origins: ['http://127.0.0.1:5173'] }, true)).toHaveLength(1);
  });
});

describe('the settings', () => {
  const load = (environment: Record<string, string>) =>
    loadConfig({ environment: { AUTH_MASTER_KEY: masterKey, ...environment } });

  it('refuse a start with such a domain or origin', () => {
    expect(() => load({ FACTOR_DOMAIN: 'https://example.com' })).toThrow('no host name');
    expect(() => load({ FACTOR_DOMAIN: domain, FACTOR_ORIGINS: '["https://evil.example"]' })).toThrow(
      'evil.example',
    );
  });

  it('derive the origin from the domain where none is given', () => {
    expect(load({ FACTOR_DOMAIN: domain }).factor.origins).toEqual([`https://${domain}`]);
    const given = { FACTOR_DOMAIN: domain, FACTOR_ORIGINS: `["https://admin.${domain}"]` };
    expect(load(given).factor.origins).toEqual([`https://admin.${domain}`]);
    expect(load({}).factor).toMatchObject({ domain: '', origins: [] });
  });
});
