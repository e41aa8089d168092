// A body that trickles in outlives nothing (T59): the checks at the request's arrival allow, what they rest on is taken
// away, and the last byte comes after that call has returned. The handler does not start.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../fuzz/random.ts';
import { parseObject } from '../rig/http-client.ts';
import { readKeyOf } from '../rig/tokens.ts';
import { createLatency } from './latency.ts';
import { readUser } from './read-user.ts';
import { type ChaosRun, type ClusterScenario, mostFailures } from './scenario.ts';
import { sendAgain } from './send-again.ts';
import { ballastRules, type Cluster, type Instance, otherRole } from './start-cluster.ts';

export const slowBodyScenario: ClusterScenario = {
  title: 'take away what a request rests on while its body trickles in',
  size: 20,
  instances: 4,
  leaseSeconds: 10,
  rules: ballastRules,
  runOn: runSlowBody,
};

/** Bodies that trickle in at the same time. */
const mostAtOnce = 100;
/** From this size on a body takes as long as a real slow client's; the service waits for ten seconds. */
const largeRun = 200;
const trickleSeconds = { small: 0.5, large: 5 };
/** A machine that stands still can hold a request for longer than the service waits: then a wave shows less, and another follows. */
const mostWaves = 20;

/** A separate token and the call that takes away what its request rests on, or none. */
interface Ground {
  readonly kind: string;
  readonly token: string;
  readonly endsWith: 'permission_denied' | 'token_revoked' | undefined;
  end(writer: Instance): Promise<unknown>;
}

type Prepare = (cluster: Cluster, wave: number) => Promise<() => Omit<Ground, 'kind'>>;

/** The grounds of one kind share what can be taken away only once. */
const kinds: Readonly<Record<string, Prepare>> = {
  'keep everything': async (cluster) => () => ({
    token: cluster.issue(2),
    endsWith: undefined,
    end: async () => {},
  }),
  'take the rule away': async (cluster) => {
    await changeOtherRole(cluster, 'add');
    const end = calledOnce((writer) => changeOtherRole(cluster, 'remove', writer));
    const claims = { roleid: otherRole.id, rolekey: otherRole.roleKey, datascope: otherRole.dataScope };
    return () => ({ token: cluster.issue(3, claims), endsWith: 'permission_denied', end });
  },
  'log out': async (cluster) => () => {
    const token = cluster.issue(4);
    return {
      token,
      endsWith: 'token_revoked',
      end: (writer) => cluster.logOut(writer, token),
    };
  },
  'disable the user': async (cluster, wave) => {
    const userId = cluster.userIds[wave % cluster.userIds.length] ?? Number.NaN;
    // Disabled before: only logins ask for that, but disabling must change something.
    await cluster.database.query('update users set enabled = true where id = $1', [userId]);
    const { epoch } = await readUser(cluster.database, userId);
    const end = calledOnce((writer) =>
      cluster.command(writer, 'PUT', `/api/v1/users/${userId}/enabled`, { enabled: false }),
    );
    return () => ({ token: cluster.issue(userId, { ep: epoch }), endsWith: 'token_revoked', end });
  },
  'retire the key': async (cluster) => {
    const created = await cluster.command(firstOf(cluster), 'POST', '/api/v1/keys');
    const { kid } = created.body.data as { kid: string };
    const key = await readKeyOf(cluster.database, kid);
    const end = calledOnce((writer) =>
      cluster.command(writer, 'POST', `/api/v1/keys/${kid}/emergency-retire`),
    );
    return () => ({ token: cluster.issue(2, {}, key), endsWith: 'token_revoked', end });
  },
};

async function runSlowBody(cluster: Cluster, { size, seed, progress, enter }: ChaosRun) {
  enter('work');
  const random = new Random(seed);
  const failures: string[] = [];
  const latency = createLatency();
  const milliseconds = 1000 * (size < largeRun ? trickleSeconds.small : trickleSeconds.large);
  const counts = { refused: 0, allowed: 0, late: 0 };
  const isEnough = () => counts.refused + counts.allowed >= size;
  const kindsSeen = new Set<string>();

  for (let wave = 0; !isEnough() && wave < mostWaves + size / mostAtOnce; wave += 1) {
    if (failures.length >= mostFailures) break;
    const count = Math.min(size, mostAtOnce);
    const grounds = await prepareGrounds(cluster, wave, count);
    const requests = grounds.map((ground) => ({ ground, instance: random.pick(cluster.instances) }));
    const before = await countAllEntries(cluster);
    const opened = await Promise.all(
      requests.map(({ ground, instance }) =>
        openTrickle(instance, ground.token, milliseconds, random.below(100)),
      ),
    );
    // No earlier: some of them rest on the same ground.
    const answers = await Promise.all(
      requests.map(async ({ ground }, index) => {
        const startedAt = performance.now();
        await ground.end(random.pick(cluster.instances));
        if (ground.endsWith !== undefined) latency.add(performance.now() - startedAt);
        return await opened[index]?.finish();
      }),
    );
    for (const [index, { ground }] of requests.entries()) {
      const answer = answers[index];
      if (answer === undefined || saysNothing(answer)) {
        counts.late += 1;
        continue;
      }
      const problem = findProblem(ground, answer);
      if (problem !== undefined) failures.push(`wave ${wave}, ${index} (${ground.kind}): ${problem}`);
      else counts[ground.endsWith === undefined ? 'allowed' : 'refused'] += 1;
      kindsSeen.add(ground.kind);
    }
    failures.push(...findWrongEntries(cluster, requests, answers, before, await countAllEntries(cluster)));
    progress(counts.refused + counts.allowed);
  }
  for (const kind of Object.keys(kinds).filter((name) => !kindsSeen.has(name)))
    failures.push(`no request shows anything of: ${kind}`);
  if (counts.allowed === 0)
    failures.push('no request of the control group was allowed: the test sees nothing');
  return {
    passed: counts.allowed + counts.refused,
    failures,
    remarks: [
      `${counts.refused} handlers did not start after the call had returned; ${counts.allowed} of the control group did; ${counts.late} came later than the service waits`,
      `a body took ${milliseconds / 1000} s, up to ${Math.min(size, mostAtOnce)} at once; the taking-away call: ${latency.text()}`,
    ],
  };
}

async function prepareGrounds(cluster: Cluster, wave: number, count: number): Promise<Ground[]> {
  const makers: (() => Ground)[] = [];
  for (const [kind, prepare] of Object.entries(kinds)) {
    const make = await prepare(cluster, wave);
    makers.push(() => ({ kind, ...make() }));
  }
  // What was given is known everywhere.
  await cluster.settle(firstOf(cluster));
  return Array.from({ length: count }, (_, index) => {
    const make = makers[index % makers.length];
    if (make === undefined) throw new Error('There is no kind.');
    return make();
  });
}

function changeOtherRole(cluster: Cluster, change: 'add' | 'remove', writer = firstOf(cluster)) {
  return cluster.command(writer, 'POST', `/api/v1/roles/${otherRole.id}/rules`, {
    [change]: [{ method: 'POST', path: '/api/v1/orders' }],
  });
}

interface TrickleAnswer {
  readonly status: number;
  readonly reason: string | undefined;
  readonly code: unknown;
  /** Before the last byte was sent: then the checks at the arrival refused, and the request shows nothing. */
  readonly isEarly: boolean;
}

/** Sends the head at once, then the body byte by byte but for the last one. */
async function openTrickle(instance: Instance, token: string, milliseconds: number, pause: number) {
  const body = JSON.stringify({ item: randomBytes(8).toString('hex'), count: 1 });
  const socket = connect({ port: instance.server.port, host: '127.0.0.1', noDelay: true }).setEncoding(
    'utf8',
  );
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  // Whoever waits too long is cut off, as `text` shows then.
  const ended = once(socket, 'close');
  ended.catch(() => {});
  socket.on('error', () => {});
  await once(socket, 'connect');
  await sleep(pause);
  socket.write(
    [
      'POST /api/v1/orders HTTP/1.1',
      'Host: portcullis',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      '\r\n',
    ].join('\r\n'),
  );
  for (const byte of body.slice(0, -1)) {
    await sleep(milliseconds / body.length);
    socket.write(byte);
  }
  return {
    async finish(): Promise<TrickleAnswer> {
      const isEarly = text !== '';
      socket.write(body.slice(-1));
      await ended.catch(() => {});
      const [head = '', content = ''] = text.split('\r\n\r\n');
      return {
        status: Number(head.split(' ')[1]),
        reason: /^x-auth-reason: (.*)$/im.exec(head)?.[1]?.trim(),
        code: parseObject(content).code,
        isEarly,
      };
    },
  };
}

/** Where the machine stood still: the request took longer than the service waits, or the instance had no lease. */
function saysNothing({ status, isEarly }: TrickleAnswer): boolean {
  return isEarly || status === 408 || status === 503 || Number.isNaN(status);
}

function findProblem({ endsWith }: Ground, answer: TrickleAnswer): string | undefined {
  const { status, code, reason } = answer;
  const expected = endsWith === undefined ? 200 : 401;
  if (status === 200 && code === expected && reason === endsWith) return undefined;
  return `${status} ${code} ${reason}`;
}

async function countAllEntries({ instances }: Cluster): Promise<number[]> {
  return await Promise.all(
    instances.map(async ({ client }) => {
      const { answer } = await sendAgain(() => client.send({ path: '/api/v1/entries' }));
      const { body } = answer;
      return (body.data as { entries: number }).entries;
    }),
  );
}

function findWrongEntries(
  { instances }: Cluster,
  requests: readonly { ground: Ground; instance: Instance }[],
  answers: readonly (TrickleAnswer | undefined)[],
  before: readonly number[],
  after: readonly number[],
): string[] {
  return instances.flatMap((instance, index) => {
    const kept = requests.filter(
      (request, place) =>
        request.instance === instance &&
        request.ground.endsWith === undefined &&
        answers[place]?.code === 200,
    ).length;
    const entered = (after[index] ?? 0) - (before[index] ?? 0);
    return entered === kept ? [] : [`instance ${index}: ${entered} handlers started, ${kept} were to`];
  });
}

/** All who end the same thing wait for the one call that does. */
function calledOnce(call: (writer: Instance) => Promise<unknown>): (writer: Instance) => Promise<unknown> {
  let called: Promise<unknown> | undefined;
  return (writer) => {
    called ??= call(writer);
    return called;
  };
}

function firstOf({ instances }: Cluster): Instance {
  const [first] = instances;
  if (first === undefined) throw new Error('There is no instance.');
  return first;
}
