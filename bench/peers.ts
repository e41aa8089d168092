// Benchmark against alternatives in TypeScript, each set up as its documentation says: authenticated and authorised
// requests, and logins. One load generator, interleaved rounds.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchResult } from './bench.ts';
import { createBenchDatabase } from './http/database.ts';
import { rules, userCount } from './http/fixture.ts';
import { type ServerProcess, startServer } from './http/server-process.ts';
import { startPortcullis } from './http/start-portcullis.ts';
import { expectAllowed, expectAnswered, logInAll, wrkScript, wrkScriptOf } from './http/tokens.ts';
import { describeSide, measureInterleaved, ratioOf, type Side } from './interleaved-rounds.ts';
import { betterAuthUsers, startBetterAuth } from './peers/better-auth.ts';
import { describeLogins, measureLogins } from './peers/logins.ts';

const ours = 'Portcullis';

export const benchPeers: Bench = {
  async run({ quick }) {
    const sides = await measureRequests(quick);
    const logins = await measureLogins(quick);
    return report(sides, describeLogins(logins));
  },
};

async function measureRequests(quick: boolean): Promise<Side[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true }));
  const database = await createBenchDatabase();
  opened.defer(database.drop);
  const keep = <S extends ServerProcess>(server: S): S => {
    opened.defer(() => server.stop());
    return server;
  };

  const portcullis = keep(await startPortcullis(ours, database));
  const tokens = await logInAll(portcullis.port);
  const { rows } = await database.client.query('select public_jwk as key from keys');
  const policy = rules.map(({ roleKey, method, path }) => `p, ${roleKey}, ${path}, ${method}`).join('\n');
  const input = JSON.stringify({ key: rows[0].key, policy });
  const start = (name: string, file: string) => startServer({ name, file: `../peers/${file}`, input });
  const byToken = [
    portcullis,
    keep(await start(`Fastify, @fastify/jwt with its cache, a map of roles`, 'fastify-jwt-server.ts')),
    keep(await start('Express, passport-jwt, casbin’s cached enforcer', 'express-casbin-server.ts')),
  ];
  const script = join(folder, 'tokens.lua');
  writeFileSync(script, wrkScript(tokens));
  const sides: Side[] = byToken.map((server) => ({ name: server.name, server, script, measurements: [] }));
  for (const { port } of byToken) for (const token of tokens.slice(0, 20)) await expectAllowed(port, token);

  const secret = randomBytes(32).toString('hex');
  for (const [name, words] of [
    ['Express, better-auth with its cookie cache', ['--cookie-cache']],
    ['Express, better-auth without', []],
  ] as const) {
    const peer = await startBetterAuth({ name, words, secret });
    opened.defer(peer.drop);
    const server = keep(peer.server);
    const cookies = await peer.logInAll();
    for (const cookie of cookies) await expectAnswered(server.port, { cookie });
    const file = join(folder, `${sides.length}.lua`);
    writeFileSync(file, wrkScriptOf('Cookie', cookies));
    sides.push({ name, server, script: file, measurements: [] });
  }
  await measureInterleaved('peers', sides, { rounds: quick ? 3 : 11, quick });
  return sides;
}

function report(sides: readonly Side[], logins: Pick<BenchResult, 'tables' | 'bars'>): BenchResult {
  const ratios = sides.map((side) => ratioOf(sides[0] as Side, side));
  const tables = [
    '## Beside what one would choose instead',
    '',
    `One GET that answers a small JSON body behind who and may: ${rules.length.toLocaleString('en')} rules and ${userCount.toLocaleString('en')} ES256 tokens in turn; better-auth has ${betterAuthUsers} sessions in turn and a map of one role. Server on one core, wrk on the other with 32 connections, every server with the flags of \`npm start\`; medians of ${sides[0]?.measurements.length} rounds in which every server had its turn. The processor time is that of all threads of the server, without Postgres.`,
    '',
    '| Server | Requests a second | Processor time a request, us | Portcullis to it | When a revoked session is refused |',
    '|---|--:|--:|--:|---|',
    ...sides.map((side, index) => `${describeSide(side, [ratios[index] ?? 0])} ${revokedWhen[index]} |`),
    '',
    logins.tables,
    `Versions: ${versions()}. Settings that are not the defaults: @fastify/jwt \`verify.cache\` 1,000; casbin with go-admin’s model; better-auth \`session.cookieCache.maxAge\` 3,600 s, \`rateLimit\` and \`telemetry\` off; Portcullis with limits that a generator does not meet.`,
    '',
  ].join('\n');
  const bar = {
    what: 'throughput to Fastify with @fastify/jwt and a map of roles',
    value: ratios[1] ?? 0,
    limit: 1.25,
    unit: 'x',
    better: 'higher',
  } as const;
  return { tables, bars: [bar, ...logins.bars], charts: {} };
}

const revokedWhen = [
  'when the call that revokes returns',
  'when its token ends',
  'when its token ends',
  'when the cookie ends: 5 minutes by default',
  'with the next request',
];

function versions(): string {
  const require = createRequire(import.meta.url);
  return ['fastify', '@fastify/jwt', 'express', 'passport-jwt', 'casbin', 'better-auth']
    .map((name) => `${name} ${versionOf(require, name)}`)
    .join(', ');
}

function versionOf(require: NodeJS.Require, name: string): string {
  const folder = require.resolve
    .paths(name)
    ?.map((path) => join(path, name, 'package.json'))
    .find((path) => {
      try {
        return readFileSync(path);
      } catch {
        return undefined;
      }
    });
  return (JSON.parse(readFileSync(folder ?? '', 'utf8')) as { version: string }).version;
}
