// Made-up services that speak OAuth 2, each with the preset of the real one at separate addresses, and people who are linked
// there. The second one of GitHub's kind has no preset.
import { afterAll, beforeAll } from 'vitest';
import { createCertificateAuthority } from '../../rig/certificate-authority.ts';
import type { Answer } from '../../rig/http-client.ts';
import {
  corp,
  type MadeUpOAuth,
  type OAuthLie,
  type OAuthPerson,
  startMadeUpOAuth,
} from '../../rig/made-up-oauth.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { type AtProvider, createJourneys, type Journeys } from './journeys.ts';

export interface OAuthProvider extends AtProvider {
  readonly made: MadeUpOAuth;
}

export const tenantKey = 'tenant-of-the-company';

export const names = ['github', 'other', 'feishu', 'dingtalk', 'wecom'] as const;
type Name = (typeof names)[number];

export interface OAuthWorld extends Journeys, Readonly<Record<Name, OAuthProvider>> {
  /** All of it: how a login ends of whom a service describes so. */
  signIn(at: OAuthProvider, person: OAuthPerson, lie?: OAuthLie): Promise<Answer>;
  /** Other settings, until they are given back. */
  change(at: OAuthProvider, more?: object): Promise<void>;
}

export const redirectOf = (key: string) => `https://admin.example.com/console/callback/${key}`;

export function settingsOf(name: Name, { addresses, clientId }: MadeUpOAuth, more: object = {}) {
  const own = {
    github: { preset: 'github' },
    other: { subjectPath: '/id', namePath: '/login', clientAuth: 'post' },
    feishu: { preset: 'feishu', tenant: tenantKey },
    dingtalk: { preset: 'dingtalk', tenant: corp },
    wecom: { preset: 'wecom', authorizationParameters: [{ name: 'agentid', value: '1000002' }] },
  } as const;
  return { ...own[name], ...addresses, clientId, redirectUri: redirectOf(name), ...more };
}

/** As user-info has a person of the company, by the shape of the service. */
export function personOf({ shape }: MadeUpOAuth, subject: string, more: object = {}): OAuthPerson {
  const persons = {
    github: { login: 'octo', id: subject, email: 'octo@example.com' },
    feishu: { name: 'Octo', open_id: 'ou_1', union_id: subject, tenant_key: tenantKey },
    dingtalk: { nick: 'Octo', openId: 'o1', unionId: subject, mobile: '1' },
    wecom: { userid: subject },
  };
  return { ...persons[shape], ...more };
}

export async function useOAuthWorld(): Promise<() => OAuthWorld> {
  const authority = await createCertificateAuthority();
  const service = useService({
    mode: 'prod',
    settings: { PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']", PROVIDER_CA_FILE: authority.file },
  });
  const made: MadeUpOAuth[] = [];
  let world: OAuthWorld | undefined;
  beforeAll(async () => {
    for (const name of names)
      made.push(await startMadeUpOAuth(authority, name === 'other' ? 'github' : name));
    world = await createWorld(service(), made);
  });
  afterAll(async () => {
    await Promise.all(made.map(({ stop }) => stop()));
    await authority[Symbol.asyncDispose]();
  });
  return () => {
    if (world === undefined) throw new Error('The service has not started yet.');
    return world;
  };
}

async function createWorld(service: Service, made: readonly MadeUpOAuth[]): Promise<OAuthWorld> {
  const linkFlow = await createJourneys(service);
  const entries: [Name, OAuthProvider][] = [];
  for (const [index, key] of names.entries()) {
    const one = made[index] as MadeUpOAuth;
    const fields = { key, kind: 'oauth', name: key, secret: one.secret };
    const id = await linkFlow.addProvider({ ...fields, settings: settingsOf(key, one) });
    entries.push([key, { id, key, made: one }]);
  }
  return {
    ...linkFlow,
    ...(Object.fromEntries(entries) as Record<Name, OAuthProvider>),
    async signIn(at, person, lie = {}) {
      const journey = await linkFlow.begin(at);
      return await linkFlow.finish(journey, at.made.answer(journey.url, person, lie));
    },
    async change({ id, key, made: one }, more = {}) {
      await linkFlow.byAdmin('PUT', `/providers/${id}`, { settings: settingsOf(key as Name, one, more) });
    },
  };
}
