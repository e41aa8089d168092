// Who logs in: people with passwords that cost nothing to hash, each from a separate network, with or without an
// authenticator app. Its secret is sealed as the service seals it, and separate for each person: a code is good once in 30 seconds.
import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { createSealedSecrets } from '../../../packages/server/src/base/secrets/sealed-secrets.ts';
import { codeAt, stepAt, totpSecretBytes } from '../../../packages/server/src/sign-in/mfa/totp/totp.ts';
import type { Random } from '../../fuzz/random.ts';
import type { Database } from '../../rig/create-database.ts';
import type { Answer } from '../../rig/http-client.ts';
import { sealingKey } from '../../rig/master-key.ts';
import { password } from '../../rig/seed.ts';
import { leastCost } from '../log/seed-people.ts';
import type { Cluster, Instance } from '../start-cluster.ts';

/** Of instances on which a login costs the database and not a hash. There is no captcha in this mode. */
export const cheapLogins = {
  APPLICATION_MODE: 'dev',
  APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]',
  // A role may demand a passkey, which no person here has.
  MFA_PASSKEY_DOMAIN: 'admin.example.com',
  HASH_MEMORY_KIBIBYTES: String(leastCost.memoryKibibytes),
  HASH_PASSES: String(leastCost.passes),
};

export interface Person {
  readonly id: number;
  readonly username: string;
  /** Of the authenticator app, where there is one. */
  readonly app?: { readonly credentialId: number; readonly secret: Buffer };
}

export type App = 'none' | 'confirmed' | 'pending';

const secrets = createSealedSecrets('totp', [sealingKey]);
let passwordHash: Promise<string> | undefined;

export async function addPeople(
  database: Database,
  roleId: number,
  count: number,
  app: App = 'none',
): Promise<Person[]> {
  passwordHash ??= hash(password, {
    memoryCost: leastCost.memoryKibibytes,
    timeCost: leastCost.passes,
    parallelism: 1,
  });
  const names = Array.from({ length: count }, () => `p${randomBytes(8).toString('hex')}`);
  const people = await database.query<{ id: number; username: string }>(
    `insert into users (username, canonical_username, department_id, role_id, password_hash)
     select name, name, (select min(id) from departments), $2, $3 from unnest($1::text[]) as name
     returning id::int, username`,
    [names, roleId, await passwordHash],
  );
  if (app === 'none') return people;
  const added = people.map((person) => ({ ...person, secret: randomBytes(totpSecretBytes) }));
  const rows = await database.query<{ id: number; user_id: number }>(
    `insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at)
     select user_id, 'totp', 2, secret, case when $3 then now() end
     from unnest($1::bigint[], $2::bytea[]) as rows (user_id, secret) returning id::int, user_id::int`,
    [added.map(({ id }) => id), added.map(({ id, secret }) => secrets.seal(id, secret)), app === 'confirmed'],
  );
  const credentialOf = new Map(rows.map(({ id, user_id }) => [user_id, id]));
  return added.map(({ secret, ...person }) => ({
    ...person,
    app: { credentialId: credentialOf.get(person.id) ?? 0, secret },
  }));
}

export function appOf({ username, app }: Person): NonNullable<Person['app']> {
  if (app === undefined) throw new Error(`${username} has no authenticator app.`);
  return app;
}

export function codeOf(person: Person): string {
  return codeAt(appOf(person).secret, stepAt(Date.now()));
}

export async function logIn({ client }: Instance, { username }: Person, given = password): Promise<Answer> {
  return await client.send(loginOf(username, '', { username, password: given }));
}

/** Proves the password, and gives back what is left: the code. */
export async function prepareCode(
  { instances }: Pick<Cluster, 'instances'>,
  random: Random,
  person: Person,
): Promise<(instance: Instance) => Promise<Answer>> {
  const { username } = person;
  const sendStep = async (suffix: string, body: unknown) =>
    await random.pick(instances).client.send(loginOf(username, suffix, body));
  const begun = await sendStep('/begin', {});
  const { flowId } = (begun.body.data ?? {}) as { flowId?: string };
  const proven = await sendStep('', { flowId, username, password });
  if (proven.headers['x-auth-reason'] !== 'factor_required')
    throw new Error(`The first step of a login: ${begun.text} ${proven.text}`);
  return async ({ client }) => await client.send(loginOf(username, '', { flowId, otp: codeOf(person) }));
}

function loginOf(username: string, suffix: string, body: unknown) {
  return {
    method: 'POST',
    path: `/api/v1/login${suffix}`,
    headers: { 'x-forwarded-for': networkOf(username) },
    body,
  };
}

/** Names are random. */
function networkOf(username: string): string {
  const [one = 0, two = 0, three = 0] = Buffer.from(username.slice(1), 'hex');
  return `10.${one}.${two}.${three}`;
}

export const ownPassword = { oldPassword: password };
