// Ways to a provider and back, of people who are linked there: whatever kind the provider is of.
import { randomBytes } from 'node:crypto';
import type { Answer } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import type { Service } from '../../rig/start-service.ts';
import { addPerson, type Captcha, outcomeOf, type Person } from '../sign-in-methods/people.ts';

/** A provider as the service knows it. */
export interface AtProvider {
  readonly id: number;
  readonly key: string;
}

export interface Linked extends Person {
  readonly subject: string;
  readonly linkId: number;
}

/** A login that has begun, and is at the provider. */
export interface Journey extends Captcha {
  readonly flowId: string;
  readonly provider: string;
  readonly url: string;
}

export type SendAs = (method: string, path: string, body?: object) => Promise<Answer>;

export interface Journeys {
  readonly service: Service;
  /** Throws where it is refused. */
  readonly byAdmin: SendAs;
  /** The answer as it is. */
  readonly tryByAdmin: SendAs;
  as(person: Person): Promise<SendAs>;
  /** Adds and enables one. */
  addProvider(body: object): Promise<number>;
  /** A new person, unless one is given. */
  addLinked(at: AtProvider, subject?: string, whom?: Person): Promise<Linked>;
  begin(at: AtProvider): Promise<Journey>;
  /** Finishes it; the given fields replace the original ones. */
  finish(journey: Journey, answer: string, other?: object): Promise<Answer>;
  /** Whether the token is taken. */
  isAlive(answer: Answer): Promise<boolean>;
}

export async function createJourneys(service: Service): Promise<Journeys> {
  const { database, send } = service;
  const sendAs =
    (token: string): SendAs =>
    (method, path, body) =>
      send({
        method,
        path: `/api/v1${path}`,
        headers: { authorization: `Bearer ${token}` },
        ...(body && { body }),
      });
  const tryByAdmin = sendAs(await service.tokenOf('ada'));
  const byAdmin: SendAs = async (method, path, body) => {
    const answer = await tryByAdmin(method, path, body);
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  return {
    service,
    byAdmin,
    tryByAdmin,
    async as({ username }) {
      const { body } = await service.logIn(username, password);
      return sendAs(String(body.token));
    },
    async addProvider(fields) {
      const { body } = await byAdmin('POST', '/providers', fields);
      const { id } = body.data as { id: number };
      await byAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
      return id;
    },
    async addLinked(at, subject = `subject-${randomBytes(6).toString('hex')}`, whom) {
      const person = whom ?? (await addPerson(database));
      const [row] = await database.query<{ id: number }>(
        `insert into credentials (user_id, kind, factor, provider_id, subject, confirmed_at)
         values ($1, 'link', 1, $2, $3, now()) returning id::int`,
        [person.id, at.id, subject],
      );
      return { ...person, subject, linkId: row?.id ?? 0 };
    },
    async begin({ key }) {
      const captcha = (await service.solvedCaptcha()) as Captcha;
      const body = { ...captcha, provider: key };
      const answer = await send({ method: 'POST', path: '/api/v1/login/begin', body });
      const { flowId, url } = (answer.body.data ?? {}) as Partial<Journey>;
      if (flowId === undefined || url === undefined) throw new Error(`Nothing was begun: ${answer.text}`);
      return { ...captcha, flowId, url, provider: key };
    },
    async finish({ url: _url, ...journey }, answer, instead = {}) {
      return await service.postLogin({ ...journey, answer, ...instead });
    },
    async isAlive({ body }) {
      const answer = await send({
        path: '/api/v1/getinfo',
        headers: { authorization: `Bearer ${String(body.token)}` },
      });
      return answer.body.code === 200;
    },
  };
}

const crowdSize = 40;
const mostCrowds = 5;

/**
 * More at once than there are places at a provider, and how each ended. On a busy machine the first may have given up before
 * the last is sent: then once more.
 */
export async function crowd(
  begin: () => Promise<Journey>,
  send: (linkFlow: readonly Journey[]) => Promise<readonly Answer[]>,
): Promise<string[]> {
  for (let time = 1; ; time += 1) {
    const linkFlow: Journey[] = [];
    while (linkFlow.length < crowdSize) linkFlow.push(await begin());
    const outcomes = (await send(linkFlow)).map(outcomeOf);
    if (outcomes.includes('rate_limited') || time === mostCrowds) return outcomes;
  }
}
