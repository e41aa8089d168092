import { describe, expect, test } from 'vitest';
import { type NewProvider, newProvider } from '../../../src/pages/providers/new-provider.ts';

const fields: NewProvider = {
  key: ' sso ',
  name: ' Company ',
  clientId: ' c ',
  secret: ' s ',
  issuer: 'https://sso.example.com',
  tenant: ' t ',
  agentId: '1000002',
  authorizationUrl: 'https://a.example.com/authorize',
  tokenUrl: 'https://a.example.com/token',
  userInfoUrl: 'https://a.example.com/user',
  subjectPath: '/id',
};
const uri = 'https://admin.example.com/console/callback/sso';
const registered = { clientId: 'c', redirectUri: uri };

describe('a new provider', () => {
  test('of OpenID has its issuer, and nothing of the fields that are not shown', () => {
    expect(newProvider('oidc', fields, uri)).toEqual({
      key: 'sso',
      kind: 'oidc',
      name: 'Company',
      settings: { issuer: fields.issuer, ...registered, scopes: ['profile'] },
      secret: ' s ',
    });
  });

  test('of a known service has its preset and what that asks for', () => {
    const settingsOf = (service: 'github' | 'feishu' | 'dingtalk' | 'wecom') =>
      newProvider(service, fields, uri).settings;
    expect(settingsOf('github')).toEqual({ ...registered, preset: 'github' });
    expect(settingsOf('feishu')).toEqual({ ...registered, preset: 'feishu', tenant: 't' });
    expect(settingsOf('dingtalk')).toEqual({ ...registered, preset: 'dingtalk', tenant: 't' });
    expect(settingsOf('wecom')).toEqual({
      ...registered,
      preset: 'wecom',
      authorizationParameters: [{ name: 'agentid', value: '1000002' }],
    });
  });

  test('of another service has its addresses, and no secret where none is given', () => {
    const { authorizationUrl, tokenUrl, userInfoUrl, subjectPath } = fields;
    expect(newProvider('oauth', { ...fields, secret: '' }, uri)).toMatchObject({
      kind: 'oauth',
      settings: { ...registered, authorizationUrl, tokenUrl, userInfoUrl, subjectPath },
      secret: undefined,
    });
  });
});
