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
import { password } from '../../rig/seed.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { addPerson, type Captcha, outcomeOf, type Person } from '../ways-in/people.ts';

export interface StoredProvider {
  readonly id: number;
  readonly key: string;
  readonly made: MadeUpProvider;
}

export interface Linked extends Person {
  readonly subject: string;
  readonly linkId: number;
}

/** A login that has begun, and is at the provider. */
export interface Journey extends Captcha {
  readonly attempt: string;
  readonly provider: string;
  readonly url: string;
}

export interface OidcWorld {
  readonly service: Service;
  readonly first: StoredProvider;
  readonly second: StoredProvider;
  byAdmin(method: string, path: string, body?: object): Promise<Answer>;
  as(person: Person): Promise<(method: string, path: string, body?: object) => Promise<Answer>>;
  /** Somebody new, unless a person is given. */
  addLinked(at?: StoredProvider, subject?: string, whom?: Person): Promise<Linked>;
  begin(at?: StoredProvider): Promise<Journey>;
  /** Finishes it; what is given comes in the place of its own. */
  finish(journey: Journey, answer: string, other?: object): Promise<Answer>;
  /** All of it: how a login of this subject ends that a provider answers in this way. */
  signIn(subject: string, lie?: Lie, at?: StoredProvider, claims?: Claims): Promise<Answer>;
  /** The HTTP status. */
  sendLogout(token: string, at?: StoredProvider): Promise<number>;
  /** Whether the token is taken. */
  isAlive(answer: Answer): Promise<boolean>;
}

export const settingsOf = (made: MadeUpProvider, key: string, more: object = {}) => ({
  issuer: made.issuer,
  clientId: made.clientId,
  redirectUri: `https://admin.example.com/console/return/${key}`,
  ...more,
});

export async function useOidcWorld(): Promise<() => OidcWorld> {
  const authority = await createCertificateAuthority();
  const service = useService({
    mode: 'prod',
    settings: { PROVIDER_NETWORKS: "['127.0.0.0/8', '::1']", PROVIDER_AUTHORITY_FILE: authority.file },
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
  const { database, send } = service;
  const sendAs = (token: string) => (method: string, path: string, body?: object) =>
    send({
      method,
      path: `/api/v1${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    });
  const admin = sendAs(await service.tokenOf('ada'));
  const byAdmin: OidcWorld['byAdmin'] = async (method, path, body) => {
    const answer = await admin(method, path, body);
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  async function add(key: string, made: MadeUpProvider): Promise<StoredProvider> {
    const fields = { key, kind: 'oidc', name: key, secret: made.secret };
    const { body } = await byAdmin('POST', '/providers', { ...fields, settings: settingsOf(made, key) });
    const { id } = body.data as { id: number };
    await byAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
    return { id, key, made };
  }
  const first = await add('first', one);
  const second = await add('second', other);

  const world: OidcWorld = {
    service,
    first,
    second,
    byAdmin,
    async as({ username }) {
      const { body } = await service.logIn(username, password);
      return sendAs(String(body.token));
    },
    async addLinked(at = first, subject = `subject-${randomBytes(6).toString('hex')}`, whom) {
      const person = whom ?? (await addPerson(database));
      const [row] = await database.query<{ id: number }>(
        `insert into credentials (user_id, kind, factor, provider_id, subject, confirmed_at)
         values ($1, 'link', 1, $2, $3, now()) returning id::int`,
        [person.id, at.id, subject],
      );
      return { ...person, subject, linkId: row?.id ?? 0 };
    },
    async begin({ key } = first) {
      const captcha = (await service.solvedCaptcha()) as Captcha;
      const body = { ...captcha, provider: key };
      const answer = await send({ method: 'POST', path: '/api/v1/login/begin', body });
      const { attempt, url } = (answer.body.data ?? {}) as Partial<Journey>;
      if (attempt === undefined || url === undefined) throw new Error(`Nothing was begun: ${answer.text}`);
      return { ...captcha, attempt, url, provider: key };
    },
    async finish({ url: _url, ...journey }, answer, instead = {}) {
      return await service.postLogin({ ...journey, answer, ...instead });
    },
    async signIn(subject, lie = {}, at = first, claims = {}) {
      const journey = await world.begin(at);
      return await world.finish(journey, at.made.answer(journey.url, { sub: subject, ...claims }, lie));
    },
    async sendLogout(token, { key } = first) {
      const response = await fetch(`http://127.0.0.1:${service.server.port}/api/v1/providers/${key}/logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      });
      return response.status;
    },
    async isAlive({ body }) {
      const answer = await send({
        path: '/api/v1/getinfo',
        headers: { authorization: `Bearer ${String(body.token)}` },
      });
      return answer.body.code === 200;
    },
  };
  return world;
}

export { outcomeOf };
