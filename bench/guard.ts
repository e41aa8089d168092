// Benchmark of the guard: the same Express route without a check, behind the guard, and behind a common alternative
// (passport-jwt and node-casbin). All get the same headers from one load generator, in interleaved rounds.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../test/rig/start-process.ts';
import { findFreePort } from '../test/rig/tcp-proxy.ts';
import type { Bench, BenchResult } from './bench.ts';
import type { GuardInput, PeerInput } from './guard/express-server.ts';
import { type BenchDatabase, createBenchDatabase } from './http/database.ts';
import { accountOf, roles, rules, userCount } from './http/fixture.ts';
import { type ServerProcess, startServer } from './http/server-process.ts';
import { startPortcullis } from './http/start-portcullis.ts';
import { expectAllowed, logInAll, wrkScript } from './http/tokens.ts';
import {
  describeSide,
  joinMeasurements,
  measureInterleaved,
  ratioOf,
  type Side,
} from './interleaved-rounds.ts';

const bare = 'Express, no check';
const guarded = 'Express behind the guard';
/** The numbers of rules in node-casbin, which searches all of them on every request. */
const peerSizes = [100, 1000];
/**
 * The number of times that each server is started. Two processes of the same kind differ by a tenth, for example
 * because their heaps grew differently.
 */
const generations = 4;

export const benchGuard: Bench = {
  async run({ quick, beside }) {
    const database = await createBenchDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
    try {
      const measured: Side[] = [];
      for (let generation = 0; generation < (quick ? 1 : generations); generation += 1)
        measured.push(...(await measure(database, folder, quick, beside)));
      return report(joinMeasurements(measured));
    } finally {
      rmSync(folder, { recursive: true });
      await database.drop();
    }
  },
};

async function measure(
  database: BenchDatabase,
  folder: string,
  quick: boolean,
  beside: string | undefined,
): Promise<Side[]> {
  const servers: ServerProcess[] = [];
  try {
    const sides = await startSides(database, folder, servers, beside);
    await measureInterleaved('guard', sides, { rounds: quick ? 7 : 11, quick });
    return sides;
  } finally {
    // Stops the service last, so that the guards can unregister from it.
    for (const server of servers.toReversed()) await server.stop();
  }
}

async function startSides(
  database: BenchDatabase,
  folder: string,
  servers: ServerProcess[],
  beside: string | undefined,
): Promise<Side[]> {
  const secret = randomBytes(32).toString('hex');
  const port = await findFreePort();
  const portcullis = await startPortcullis('Portcullis', database, {
    DECISION_SECRET: secret,
    DECISION_PORT: String(port),
  });
  servers.push(portcullis);
  const tokens = await logInAll(portcullis.port);

  async function startSide(
    name: string,
    input: object,
    words: readonly string[],
    { ofRoles = roles.length, checkout = '' } = {},
  ): Promise<Side> {
    const connections = words.includes('--passport') ? 1 : 32;
    const server = await startServer({
      name,
      file: join(checkout || repository, 'bench/guard/express-server.ts'),
      arguments: words,
      input: JSON.stringify(input),
      connections,
    });
    servers.push(server);
    const roleIds = new Set(roles.slice(0, ofRoles).map(({ id }) => id));
    const sent = tokens.filter((_, user) => roleIds.has(accountOf(user).roleId));
    for (const token of sent.slice(0, 50)) await expectAllowed(server.port, token);
    const script = join(folder, `${servers.length}.lua`);
    writeFileSync(script, wrkScript(sent));
    return { name, server, script, measurements: [] };
  }

  const guard: GuardInput = { url: `http://127.0.0.1:${port}`, secret };
  const sides: Side[] = [await startSide(bare, {}, []), await startSide(guarded, guard, ['--guard'])];
  if (beside !== undefined)
    sides.push(await startSide(`${guarded}, ${beside}`, guard, ['--guard'], { checkout: beside }));
  const { rows } = await database.client.query('select public_jwk as key from keys');
  for (const size of peerSizes) {
    const policy = rules
      .slice(0, size)
      .map(({ roleKey, method, path }) => `p, ${roleKey}, ${path}, ${method}`);
    const peer: PeerInput = { key: rows[0].key, policy: policy.join('\n') };
    const ofRoles = Math.ceil((size / rules.length) * roles.length);
    sides.push(await startSide(peerName(size), peer, ['--passport'], { ofRoles }));
  }
  return sides;
}

function peerName(size: number): string {
  return `Express, passport-jwt, node-casbin with ${size.toLocaleString('en')} rules`;
}

function report(sides: readonly Side[]): BenchResult {
  const sideOf = (name: string) => sides.find((side) => side.name === name) as Side;
  const tables = [
    '## What the guard costs a request of an Express service',
    '',
    `One GET that answers a small JSON body, with the same headers to all. The guard holds ${rules.length.toLocaleString('en')} rules and gets ${userCount.toLocaleString('en')} live`,
    'ES256 tokens in turn. node-casbin holds the first rules of these and gets the tokens of their roles: it looks through all',
    'its rules with every request. Server on one core, wrk on the other with 32 connections (one to node-casbin), every server with the flags of `npm start`; medians of',
    `rounds in which every server had its turn, all of them started ${generations} times. The processor time is that of all threads of the server.`,
    '',
    '| Server | Requests a second | Processor time a request, us | To the bare route |',
    '|---|--:|--:|--:|',
    ...sides.map((side) => describeSide(side, [ratioOf(side, sideOf(bare))])),
    '',
  ].join('\n');
  const bar = {
    what: 'throughput behind the guard to the bare route',
    value: ratioOf(sideOf(guarded), sideOf(bare)),
    limit: 0.87,
    unit: 'x',
    better: 'higher',
  } as const;
  return { tables, bars: [bar], charts: {} };
}
