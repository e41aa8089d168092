// Two made-up OpenID providers that a service believes, and people who are linked there.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { createCertificateAuthority } from '../../rig/certificate-authority.ts';
import type { Answer } from '../../rig/http-client.ts';
import {
  type Claims,
  type Lie,
  type MadeUpProvider,
  startMadeUpProvider,
} from '../../rig/made-up-provider.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { outcomeOf, type Person } from '../sign-in-methods/people.ts';
import { type AtProvider, createJourneys, type Journey, type Journeys, type Linked } from './journeys.ts';

export interface StoredProvider extends AtProvider {
  readonly made: MadeUpProvider;
}

export interface OidcWorld extends Omit<Journeys, 'addLinked' | 'begin'> {
  readonly first: StoredProvider;
  readonly second: StoredProvider;
  /** Another provider of the service, behind which the first made-up one answers. */
  addAnother(fields?: object, settings?: object): Promise<StoredProvider>;
  /** A new person, unless one is given; at the first provider. */
  addLinked(at?: StoredProvider, subject?: string, whom?: Person): Promise<Linked>;
  begin(at?: StoredProvider): Promise<Journey>;
  /** All of it: how a login of this subject ends that a provider answers in this way. */
  signIn(subject: string, lie?: Lie, at?: StoredProvider, claims?: Claims): Promise<Answer>;
  /** The HTTP status. */
  sendLogout(token: string, at?: StoredProvider): Promise<number>;
}

export const settingsOf = (made: MadeUpProvider, key: string, more: object = {}) => ({
  issuer: made.issuer,
  clientId: made.clientId,
  redirectUri: `https://admin.example.com/console/callback/${key}`,
  ...more,
});

/** With settings of the service beside those that it needs to believe them. */
export async function useOidcWorld(more: Readonly<Record<string, string>> = {}): Promise<() => OidcWorld> {
  const authority = await createCertificateAuthority();
  const service = useService({
    mode: 'prod',
    settings: {
      PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']",
      PROVIDER_CA_FILE: authority.file,
      ...more,
    },
  });
  let world: OidcWorld | undefined;
  beforeAll(async () => {
    world = await createWorld(service(), [
      await startMadeUpProvider(authority),
      await startMadeUpProvider(authority),
    ]);
  });
  afterAll(async () => {
    await Promise.all([world?.first.made.stop(), world?.second.made.stop()]);
    await authority[Symbol.asyncDispose]();
  });
  return () => {
    if (world === undefined) throw new Error('The service has not started yet.');
    return world;
  };
}

async function createWorld(
  service: Service,
  [one, other]: readonly [MadeUpProvider, MadeUpProvider],
): Promise<OidcWorld> {
  const linkFlow = await createJourneys(service);
  async function add(key: string, made: MadeUpProvider): Promise<StoredProvider> {
    const fields = { key, kind: 'oidc', name: key, secret: made.secret };
    const id = await linkFlow.addProvider({ ...fields, settings: settingsOf(made, key) });
    return { id, key, made };
  }
  const first = await add('first', one);
  const second = await add('second', other);
  return {
    ...linkFlow,
    first,
    second,
    async addAnother(fields = {}, settings = {}) {
      const key = `m${randomBytes(6).toString('hex')}`;
      const body = { key, kind: 'oidc', name: key, secret: one.secret, ...fields };
      const id = await linkFlow.addProvider({ ...body, settings: settingsOf(one, key, settings) });
      return { id, key, made: one };
    },
    addLinked: (at = first, ...who) => linkFlow.addLinked(at, ...who),
    begin: (at = first) => linkFlow.begin(at),
    async signIn(subject, lie = {}, at = first, claims = {}) {
      const journey = await linkFlow.begin(at);
      return await linkFlow.finish(journey, at.made.answer(journey.url, { sub: subject, ...claims }, lie));
    },
    async sendLogout(token, { key } = first) {
      const response = await fetch(`http://127.0.0.1:${service.server.port}/api/v1/providers/${key}/logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      });
      return response.status;
    },
  };
}

export { type Journey, outcomeOf };
