// Signing keys are rotated under traffic (F18): a good token is accepted on every instance at any time, also the moment
// its key was made, and also one of a real login. What an emergency call ends is refused everywhere once it returned.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../fuzz/random.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import type { Answer } from '../rig/http-client.ts';
import { isJudged } from '../rig/judges-times.ts';
import { hashPassword, password } from '../rig/seed.ts';
import { decodeToken, readKeyOf, readSigningKey, type SigningKey } from '../rig/tokens.ts';
import { createLatency } from './latency.ts';
import { type ChaosRun, type ClusterScenario, mostFailures } from './scenario.ts';
import { sendAgain } from './send-again.ts';
import { ballastRules, bearer, type Cluster, decisionOf, type Instance } from './start-cluster.ts';

export const rotationScenario: ClusterScenario = {
  title: 'rotate the signing key under traffic, and retire keys in an emergency',
  size: 5,
  instances: 4,
  leaseSeconds: 10,
  rules: ballastRules,
  runOn: runRotation,
};

const emergencyBarMilliseconds = 200;
/** Every so many rotations all keys are retired at once. */
const endAllEvery = 5;
/** So many keys go on verifying after their time, as they would in production. */
const keptKeys = 2;
const trafficPauseMilliseconds = 10;
const loginPauseMilliseconds = 150;
const loginUserId = 5;
/** So many tokens of a key are remembered: a check costs the same for every one. */
const mostTokens = 20;

/** What may be said of the tokens of a key: `ending` ones nothing, while the call is under way. */
interface KeyRecord extends SigningKey {
  standing: 'good' | 'ending' | 'ended';
  readonly tokens: string[];
}

async function runRotation(cluster: Cluster, { size, seed, progress, enter }: ChaosRun) {
  const random = new Random(seed);
  const judge = createJudge(cluster);
  const { failures, counts } = judge;
  await cluster.database.query('update users set password_hash = $2 where id = $1', [
    loginUserId,
    await hashPassword(password, 2),
  ]);
  const first = judge.register(await readSigningKey(cluster.database, { dev: false }));
  const operator = createOperator(cluster, judge, random, first);
  const stopTraffic = startTraffic(cluster, judge, random);
  enter('work');
  try {
    for (let rotation = 1; rotation <= size && failures.length < mostFailures; rotation += 1) {
      await operator.rotate();
      await operator.retireStandby();
      if (rotation % endAllEvery === 0) await operator.endAll();
      progress(rotation);
    }
  } finally {
    await stopTraffic();
    // The key that signed before may be retired.
    await cluster.readSigningKey();
  }
  const { emergency, creation } = operator;
  if (counts.refused === 0) failures.push('nothing was ended: the test sees nothing');
  if (isJudged('the time of an emergency call') && !emergency.isWithin(emergencyBarMilliseconds))
    failures.push(`an emergency call is slower than p99 ${emergencyBarMilliseconds} ms`);
  return {
    passed: Math.max(0, size - failures.length),
    failures: failures.slice(0, mostFailures),
    remarks: [
      `${counts.allowed.toLocaleString('en')} checks of good tokens; ${counts.refused.toLocaleString('en')} of ended ones; ${counts.logins} real logins, ${counts.lateLogins} of them with a key that was retired before they were answered`,
      `the emergency calls: ${emergency.text()}`,
      `making a key that every instance knows: ${creation.text()}`,
    ],
  };
}

/** Whoever holds the keys: makes, activates and retires them by way of random instances. */
function createOperator(cluster: Cluster, judge: Judge, random: Random, first: KeyRecord) {
  const emergency = createLatency();
  const creation = createLatency();
  let signing = first;
  let former: KeyRecord[] = [];

  /** May be repeated: by the key that signs by then, where the call before ended the own one and was not answered. */
  async function command(method: string, path: string): Promise<Answer> {
    const claims = { roleid: 1, rolekey: 'admin', datascope: '1' };
    let isRepeated = false;
    const { answer } = await sendAgain(async () => {
      const key = isRepeated ? await readSigningKey(cluster.database, { dev: false }) : signing;
      isRepeated = true;
      const headers = bearer(cluster.issue(1, claims, key));
      return await random.pick(cluster.instances).client.send({ method, path, headers });
    });
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Known everywhere when the call has returned. */
  async function makeKey(): Promise<KeyRecord> {
    const startedAt = performance.now();
    const { kid } = (await command('POST', '/api/v1/keys')).body.data as { kid: string };
    creation.add(performance.now() - startedAt);
    const key = judge.register(await readKeyOf(cluster.database, kid));
    await judge.askAll(judge.issue(key));
    return key;
  }

  /** Nothing of these keys is good from the moment of the call on, and all of it is dead when it returned. */
  async function endInEmergency(ended: readonly KeyRecord[], method: string, path: string): Promise<void> {
    for (const key of ended) key.standing = 'ending';
    const startedAt = performance.now();
    await command(method, path);
    emergency.add(performance.now() - startedAt);
    for (const key of ended) key.standing = 'ended';
    const tokens = ended.flatMap((key) => key.tokens);
    await Promise.all(tokens.map((token) => judge.askAll(token)));
  }
  const retire = (key: KeyRecord) =>
    endInEmergency([key], 'POST', `/api/v1/keys/${key.kid}/emergency-retire`);

  return {
    emergency,
    creation,
    async rotate(): Promise<void> {
      const next = await makeKey();
      await command('POST', `/api/v1/keys/${next.kid}/activate`);
      await judge.askAll(judge.issue(next));
      former.push(signing);
      signing = next;
      const tokens = await Promise.all(cluster.instances.map((instance) => judge.logIn(instance)));
      for (const token of tokens) if (token !== undefined) await judge.askAll(token);
      for (const key of former.splice(0, Math.max(0, former.length - keptKeys))) await retire(key);
    },
    /** One that never signed: so there are as many emergency calls as rotations, however few those are. */
    async retireStandby(): Promise<void> {
      await retire(await makeKey());
    },
    async endAll(): Promise<void> {
      // Where the call is repeated, it also ends the keys that came meanwhile.
      judge.newcomers = 'ending';
      await endInEmergency([...former, signing], 'DELETE', '/api/v1/sessions');
      judge.newcomers = 'good';
      former = [];
      signing = judge.register(await readSigningKey(cluster.database, { dev: false }));
      signing.standing = 'good';
      await judge.askAll(judge.issue(signing));
    },
  };
}

type Judge = ReturnType<typeof createJudge>;

/** Knows of every token whether it is good, and holds each answer against that. */
function createJudge(cluster: Cluster) {
  const keys = new Map<string, KeyRecord>();
  const failures: string[] = [];
  const counts = { allowed: 0, refused: 0, logins: 0, lateLogins: 0 };

  function register(key: SigningKey): KeyRecord {
    const known: KeyRecord = keys.get(key.kid) ?? { ...key, standing: judge.newcomers, tokens: [] };
    keys.set(key.kid, known);
    return known;
  }
  function keyOf(token: string): KeyRecord {
    const key = keys.get(String(decodeToken(token).header.kid));
    if (key === undefined) throw new Error('There is no such key.');
    return key;
  }
  function remember(token: string): string {
    const { tokens } = keyOf(token);
    tokens.push(token);
    if (tokens.length > mostTokens) tokens.shift();
    return token;
  }
  async function ask(instance: Instance, token: string): Promise<void> {
    const key = keyOf(token);
    const sentAs = key.standing;
    const outcome = await decisionOf(instance, { path: '/api/v1/orders', headers: bearer(token) });
    if (sentAs === 'ended') {
      counts.refused += 1;
      if (outcome !== 'refused') failures.push(`a token of the retired key ${key.kid} was ${outcome}`);
    } else if (key.standing === 'good') {
      counts.allowed += 1;
      if (outcome !== 'allowed') failures.push(`a good token of the key ${key.kid} was ${outcome}`);
    }
  }
  const judge = {
    failures,
    counts,
    /** What may be said of the tokens of a key that is first seen now. */
    newcomers: 'good' as KeyRecord['standing'],
    register,
    issue: (key: KeyRecord) => remember(cluster.issue(2, {}, key)),
    ask,
    askAll: (token: string) => Promise.all(cluster.instances.map((instance) => ask(instance, token))),
    pickToken(random: Random): string | undefined {
      const tokens = [...keys.values()].flatMap((key) => key.tokens.slice(-4)).slice(-40);
      return tokens.length === 0 ? undefined : random.pick(tokens);
    },
    /** A real one, with captcha and password. Undefined where the key that signed it was retired meanwhile. */
    async logIn({ client }: Instance): Promise<string | undefined> {
      const { answer: shown } = await sendAgain(() => client.send({ path: '/api/v1/getCaptcha' }));
      const uuid = String(shown.body.id);
      await solveCaptcha(cluster.database, uuid);
      const body = { username: `user${loginUserId}`, password, uuid, code: captchaAnswer };
      const answer = await client.send({ method: 'POST', path: '/api/v1/login', body });
      // No time for the password, or none for those before it, as on a machine that stands still. A captcha is used once: the
      // next login has another.
      if (answer.status === 503 || answer.body.code === 429) return undefined;
      if (typeof answer.body.token !== 'string') {
        failures.push(`a login failed: ${answer.status} ${answer.text}`);
        return undefined;
      }
      counts.logins += 1;
      const { token } = answer.body;
      const kid = String(decodeToken(token).header.kid);
      // A key that an emergency call made and that the test has not read yet.
      if (!keys.has(kid)) register(await readKeyOf(cluster.database, kid));
      if (keyOf(token).standing === 'good') return remember(token);
      counts.lateLogins += 1;
      return undefined;
    },
  };
  return judge;
}

/** Asks for tokens of all kinds and logs in all the time, until the result is called. */
function startTraffic(cluster: Cluster, judge: Judge, random: Random): () => Promise<void> {
  let isOn = true;
  async function loop(pauseMilliseconds: number, step: (instance: Instance) => Promise<unknown>) {
    while (isOn) {
      const startedAt = performance.now();
      await step(random.pick(cluster.instances));
      await sleep(Math.max(1, pauseMilliseconds - (performance.now() - startedAt)));
    }
  }
  const going = Promise.all([
    loop(trafficPauseMilliseconds, async (instance) => {
      const token = judge.pickToken(random);
      if (token !== undefined) await judge.ask(instance, token);
    }),
    loop(loginPauseMilliseconds, async (instance) => {
      const token = await judge.logIn(instance);
      if (token !== undefined) await judge.askAll(token);
    }),
  ]);
  going.catch(() => {});
  return async () => {
    isOn = false;
    await going;
  };
}
