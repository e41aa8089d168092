// T14 and T15: many users' tokens at once, some of them again and again, each answered with the claims that it carries.
import { randomBytes } from 'node:crypto';
import { Random } from '../../fuzz/random.ts';
import { present } from '../../rig/carriers.ts';
import { createHttpClient } from '../../rig/http-client.ts';
import { roles } from '../../rig/seed.ts';
import type { Service } from '../../rig/start-service.ts';
import type { Claims } from '../../rig/tokens.ts';
import { forge, signedBy, type Target, targetOf } from './forge.ts';

interface Issued {
  readonly token: string;
  readonly context: Readonly<Record<string, unknown>>;
}

interface Crowd {
  readonly tokens: number;
  readonly users: number;
  readonly seed: number;
}

const atOnce = 64;
/** Tokens that were presented lately and come again: the ones that a cache knows. */
const recentTokens = 500;
const maxId = Number.MAX_SAFE_INTEGER;

/** What was answered with anything but the claims of the token presented. */
export async function presentMany(service: Service, { tokens, users, seed }: Crowd): Promise<string[]> {
  const random = new Random(seed);
  const target = await targetOf(service);
  const people = random.list(users, () => personOf(random));
  const client = createHttpClient(service.server.port, { remembers: false, resends: true });
  const recent: Issued[] = [];
  const wrong: string[] = [];
  let made = 0;

  async function presentOne({ token, context }: Issued): Promise<void> {
    const { body } = await client.send(present(token, 'header', { path: '/api/v1/context' }));
    const shown = JSON.stringify(body.data);
    if (shown !== JSON.stringify(context) && wrong.length < 10)
      wrong.push(`${JSON.stringify(context)} was answered with ${shown}`);
  }
  async function runLane(): Promise<void> {
    while (made < tokens && wrong.length < 10) {
      made += 1;
      const issued = issue(random.pick(people), target);
      recent[made % recentTokens] = issued;
      await presentOne(issued);
      await presentOne(random.pick(recent.filter((one) => one !== undefined)));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runLane));
  client.close();
  return wrong;
}

interface Person {
  readonly userId: number;
  readonly roleId: number;
  readonly roleKey: string;
  readonly username: string;
  readonly dataScope: string;
}

/** Ids up to the largest that there is, and more of those near it than chance would give. */
function personOf(random: Random): Person {
  const high = random.below(2 ** 21);
  const anywhere = high * 2 ** 32 + random.below(2 ** 32) + 1;
  const userId = random.once(4) ? maxId - random.below(1000) : Math.min(maxId, anywhere);
  const roleId = 1 + random.below(5);
  const role = roles[roleId - 1];
  if (role === undefined) throw new Error('There is no such role.');
  return { userId, roleId, roleKey: role.key, username: `user${userId}`, dataScope: role.dataScope };
}

function issue(person: Person, { header, claims, privateKey }: Target): Issued {
  const { userId, roleId, roleKey, username, dataScope } = person;
  const own: Claims = {
    ...claims,
    identity: userId,
    sub: String(userId),
    roleid: roleId,
    rolekey: roleKey,
    nice: username,
    datascope: dataScope,
    jti: randomBytes(16).toString('base64url'),
  };
  return {
    token: forge(header, own, signedBy(privateKey)),
    context: { userId, roleId, roleKey, username, dataScope },
  };
}
