// The request of the form for a new provider: an OpenID provider, a known OAuth 2 service, or another OAuth 2 service.
import type { client } from '../../client.ts';

type Body = Parameters<typeof client.createProvider>[0]['body'];

export const services = ['oidc', 'github', 'feishu', 'dingtalk', 'wecom', 'oauth'] as const;
export type ServiceName = (typeof services)[number];
type PresetName = Exclude<ServiceName, 'oidc' | 'oauth'>;

type Field =
  | 'key'
  | 'name'
  | 'clientId'
  | 'secret'
  | 'issuer'
  | 'tenant'
  | 'agentId'
  | 'authorizationUrl'
  | 'tokenUrl'
  | 'userInfoUrl'
  | 'subjectPath';
export type NewProvider = Record<Field, string>;

export function isPreset(service: ServiceName): service is PresetName {
  return service !== 'oidc' && service !== 'oauth';
}

export function newProvider(service: ServiceName, given: NewProvider, redirectUri: string): Body {
  const fields = Object.fromEntries(
    Object.entries(given).map(([field, text]) => [field, text.trim()]),
  ) as NewProvider;
  const { key, name, clientId } = fields;
  const registered = { clientId, redirectUri };
  return {
    key,
    kind: service === 'oidc' ? 'oidc' : 'oauth',
    name,
    settings:
      service === 'oidc'
        ? { issuer: fields.issuer, ...registered, scopes: ['profile'] }
        : { ...registered, ...oauthOf(service, fields) },
    secret: given.secret === '' ? undefined : given.secret,
  };
}

function oauthOf(service: Exclude<ServiceName, 'oidc'>, fields: NewProvider) {
  const { authorizationUrl, tokenUrl, userInfoUrl, subjectPath, tenant, agentId } = fields;
  if (!isPreset(service)) return { authorizationUrl, tokenUrl, userInfoUrl, subjectPath };
  return {
    preset: service,
    ...((service === 'feishu' || service === 'dingtalk') && { tenant }),
    ...(service === 'wecom' && { authorizationParameters: [{ name: 'agentid', value: agentId }] }),
  };
}
