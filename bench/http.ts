// Benchmark of the two checks of a request: the same JSON answer from Portcullis with both checks, from the same
// process without them, from Fastify with our headers, from Fastify alone, and from a common alternative (Express,
// jsonwebtoken and node-casbin). One load generator, interleaved rounds.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchResult } from './bench.ts';
import { type BenchDatabase, createBenchDatabase } from './http/database.ts';
import { rules, userCount } from './http/fixture.ts';
import { openEndpoint } from './http/hello.ts';
import { type ServerProcess, startServer } from './http/server-process.ts';
import { startPortcullis } from './http/start-portcullis.ts';
import { expectAllowed, logInAll, wrkScript } from './http/tokens.ts';
import { describeSide, measureInterleaved, ratioOf, type Side } from './interleaved-rounds.ts';

const ours = 'Portcullis, both checks';
const open = 'Portcullis, the same route as `public`';
const headers = 'Fastify with our headers, no check';
const bare = 'Fastify, no header of ours, no check';
const cached = 'Fastify, @fastify/jwt with its cache, a map of roles';
const peer = 'Express, jsonwebtoken, node-casbin';

export const benchHttp: Bench = {
  async run({ quick }) {
    const database = await createBenchDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
    const servers: ServerProcess[] = [];
    try {
      const sides = await startSides(database, folder, servers);
      await measureInterleaved('http', sides, { rounds: quick ? 3 : 31, quick });
      return report(sides);
    } finally {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true });
      await database.drop();
    }
  },
};

async function startSides(
  database: BenchDatabase,
  folder: string,
  servers: ServerProcess[],
): Promise<Side[]> {
  const portcullis = await startPortcullis(ours, database);
  servers.push(portcullis);
  const tokens = await logInAll(portcullis.port);
  const { rows } = await database.client.query('select public_jwk as key from keys');
  const policy = rules.map(({ roleKey, method, path }) => `p, ${roleKey}, ${path}, ${method}`).join('\n');
  const input = JSON.stringify({ key: rows[0].key, policy });
  const fastify = { file: 'fastify-server.ts' };
  servers.push(await startServer({ ...fastify, name: headers }));
  servers.push(await startServer({ ...fastify, name: bare, arguments: ['--bare'] }));
  servers.push(await startServer({ name: cached, file: '../peers/fastify-jwt-server.ts', input }));
  // One connection: with more, this server would still be busy when the next server is measured.
  servers.push(await startServer({ name: peer, file: 'express-server.ts', input, connections: 1 }));
  for (const { port } of servers) for (const token of tokens.slice(0, 50)) await expectAllowed(port, token);

  const scriptOf = (name: string, path?: string) => {
    const file = join(folder, name);
    writeFileSync(file, wrkScript(tokens, path));
    return file;
  };
  const script = scriptOf('checked.lua');
  const sides = servers.map((server) => ({ name: server.name, server, script, measurements: [] }));
  const openSide = {
    name: open,
    server: portcullis,
    script: scriptOf('open.lua', openEndpoint.path),
    measurements: [],
  };
  return sides.toSpliced(1, 0, openSide);
}

function report(sides: readonly Side[]): BenchResult {
  const sideOf = (name: string) => sides.find((side) => side.name === name) as Side;
  const ratioTo = (name: string) => ratioOf(sideOf(ours), sideOf(name));
  const tables = [
    '## What the two checks cost a request',
    '',
    `One GET that answers a small JSON body, with ${rules.length.toLocaleString('en')} rules and ${userCount.toLocaleString('en')} live ES256 tokens in turn;`,
    'server on one core, wrk on the other with 32 connections (one to Express, which looks through all rules), every server with the flags of `npm start`;',
    'medians of rounds in which every server had its turn. The processor time is that of all threads of the server.',
    '',
    '| Server | Requests a second | Processor time a request, us | Portcullis to it |',
    '|---|--:|--:|--:|',
    ...sides.map((side) => describeSide(side, [ratioOf(sideOf(ours), side)])),
    '',
  ].join('\n');
  const bar = (what: string, name: string, limit: number) =>
    ({ what, value: ratioTo(name), limit, unit: 'x', better: 'higher' }) as const;
  const bars = [
    bar('throughput to the own route without checks', open, 0.9),
    bar('throughput to the same route in Fastify without checks', headers, 0.84),
    bar('throughput to Fastify with @fastify/jwt and a map of roles', cached, 1.25),
    bar('throughput to Express with jsonwebtoken and node-casbin', peer, 20),
  ];
  return { tables, bars, charts: {} };
}
