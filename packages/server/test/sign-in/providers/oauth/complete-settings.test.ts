// Which settings of an OAuth service are enough and sound, with and without a preset.
import {
  type OAuthPresetName,
  type OAuthSettings,
  oauthPresetNames,
  oauthPresets,
} from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { completeSettings } from '../../../../src/sign-in/providers/oauth/complete-settings.ts';

const registered = { clientId: 'c', redirectUri: 'https://admin.example.com/return' };
const plain: OAuthSettings = {
  ...registered,
  authorizationUrl: 'https://sso.example.com/authorize',
  tokenUrl: 'https://sso.example.com/token',
  userInfoUrl: 'https://sso.example.com/user',
  subjectPath: '/id',
};
const byPreset: Record<OAuthPresetName, Partial<OAuthSettings>> = {
  github: {},
  feishu: { tenant: 't' },
  dingtalk: { tenant: 'ding1' },
  wecom: { authorizationParameters: [{ name: 'agentid', value: '1000002' }] },
};

describe('settings', () => {
  it.each<[string, object]>([
    ['without an address', { tokenUrl: undefined }],
    ['without a place of the subject', { subjectPath: undefined }],
    ['with a place that is no pointer', { subjectPath: 'id' }],
    ['with a place of a broken pointer', { subjectPath: '/a~2b' }],
    ['with http', { userInfoUrl: 'http://sso.example.com/user' }],
    ['with a query', { tokenUrl: 'https://sso.example.com/token?a=b' }],
    ['with a user', { authorizationUrl: 'https://a:b@sso.example.com/' }],
    ['with a return address without TLS', { redirectUri: 'http://admin.example.com/return' }],
    ['with a tenant and no place', { tenant: 't' }],
    ['with a place of a tenant and no tenant', { tenantPath: '/tenant' }],
    ['with a state of their own', { authorizationParameters: [{ name: 'state', value: 'x' }] }],
    ['with a client of their own', { authorizationParameters: [{ name: 'Client_ID', value: 'x' }] }],
    ['with a header that is none', { tokenHeader: 'x-token: a\r\nx' }],
    ['with a preset that is not known', { preset: 'gitlab' }],
    ['of another kind', { issuer: 'https://sso.example.com' }],
  ])('%s are refused', (_what, wrong) => {
    const settings = Object.fromEntries(
      Object.entries({ ...plain, ...wrong }).filter(([, value]) => value !== undefined),
    );
    expect(completeSettings(settings as OAuthSettings)).toBeUndefined();
  });

  it('are accepted with all addresses and the pointer to the subject, with PKCE and HTTP Basic as defaults', () => {
    expect(completeSettings(plain)).toMatchObject({ ...plain, pkce: true, clientAuth: 'basic' });
    expect(completeSettings({ ...plain, pkce: false, clientAuth: 'post' })).toMatchObject({
      pkce: false,
      clientAuth: 'post',
    });
  });
});

describe('a preset', () => {
  it.each(['feishu', 'dingtalk', 'wecom'] as const)(
    '%s is refused without what only the operator knows',
    (preset) => {
      expect(completeSettings({ ...registered, preset })).toBeUndefined();
      expect(completeSettings({ ...registered, preset, ...byPreset[preset] })).toBeDefined();
    },
  );

  it.each(oauthPresetNames)('%s was not tried, says where it is from, and is enough', (preset) => {
    expect(oauthPresets[preset].tried).toBe(false);
    expect(oauthPresets[preset].documents.every((document) => document.startsWith('https://'))).toBe(true);
    expect(completeSettings({ ...registered, preset, ...byPreset[preset] })).toMatchObject({
      tokenUrl: oauthPresets[preset].settings.tokenUrl,
    });
  });

  it('gives way to what is set itself, and keeps its parameters', () => {
    const tokenUrl = 'https://github.example.com/login/oauth/access_token';
    expect(completeSettings({ ...registered, preset: 'github', tokenUrl })).toMatchObject({
      tokenUrl,
      subjectPath: '/id',
    });
    expect(
      completeSettings({ ...registered, preset: 'wecom', ...byPreset.wecom })?.authorizationParameters,
    ).toEqual([
      { name: 'login_type', value: 'CorpApp' },
      { name: 'agentid', value: '1000002' },
    ]);
  });
});
