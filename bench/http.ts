// What the two checks cost a request: the same JSON answer from Portcullis behind both checks, from Fastify with our
// headers, from bare Fastify, and from the stack that a team would otherwise write. One generator, in turns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type BenchResult, median, printLine } from './bench.ts';
import { type BenchDatabase, createBenchDatabase } from './http/database.ts';
import { rules, userCount } from './http/fixture.ts';
import { requestsPerSecond, type ServerProcess, startServer } from './http/server-process.ts';
import { startPortcullis } from './http/start-portcullis.ts';
import { expectAllowed, logInAll, wrkScript } from './http/tokens.ts';

const turnSeconds = 1;

const ours = 'Portcullis, both checks';
const headers = 'Fastify with our headers, no check';
const bare = 'Fastify, no header of ours, no check';
const peer = 'Express, jsonwebtoken, node-casbin';

export const benchHttp: Bench = {
  async run({ quick }) {
    const database = await createBenchDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
    const servers: ServerProcess[] = [];
    try {
      const tokens = await startServers(database, servers);
      for (const { port } of servers)
        for (const token of tokens.slice(0, 50)) await expectAllowed(port, token);
      const script = join(folder, 'tokens.lua');
      writeFileSync(script, wrkScript(tokens));
      const turns = quick ? { warmUpRounds: 1, rounds: 3 } : { warmUpRounds: 3, rounds: 31 };
      return report(await measure(servers, script, turns));
    } finally {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true });
      await database.drop();
    }
  },
};

async function startServers(database: BenchDatabase, servers: ServerProcess[]): Promise<string[]> {
  const portcullis = await startPortcullis(ours, database);
  servers.push(portcullis);
  const tokens = await logInAll(portcullis.port);
  const { rows } = await database.client.query('select public_jwk as key from keys');
  const policy = rules.map(({ roleKey, method, path }) => `p, ${roleKey}, ${path}, ${method}`).join('\n');
  const input = JSON.stringify({ key: rows[0].key, policy });
  servers.push(await startServer({ name: headers, file: 'fastify-server.ts' }));
  servers.push(await startServer({ name: bare, file: 'fastify-server.ts', arguments: ['--bare'] }));
  servers.push(await startServer({ name: peer, file: 'express-server.ts', input, connections: 1 }));
  return tokens;
}

type Rates = ReadonlyMap<string, number[]>;

interface Turns {
  /** They warm the servers up and do not count. */
  readonly warmUpRounds: number;
  readonly rounds: number;
}

/**
 * Many short turns instead of few long ones, because the machine's own speed changes within seconds and the ratio of
 * two neighbouring turns does not. Every other round goes backwards, so that nobody always follows the same one.
 */
async function measure(
  servers: readonly ServerProcess[],
  script: string,
  { warmUpRounds, rounds }: Turns,
): Promise<Rates> {
  const rates = new Map<string, number[]>(servers.map(({ name }) => [name, []]));
  for (let round = 1 - warmUpRounds; round <= rounds; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const rate = await requestsPerSecond(server, script, turnSeconds);
      if (round < 1) continue;
      rates.get(server.name)?.push(rate);
      printLine({ bench: 'http', round, server: server.name, requestsPerSecond: Math.round(rate) });
    }
  }
  return rates;
}

function report(rates: Rates): BenchResult {
  const ratioTo = (name: string) =>
    median((rates.get(ours) ?? []).map((rate, round) => rate / (rates.get(name)?.[round] ?? 0)));
  const rows = [...rates].map(([name, values]) => {
    return `| ${name} | ${Math.round(median(values)).toLocaleString('en')} | ${ratioTo(name).toFixed(2)} |`;
  });
  const tables = [
    '## What the two checks cost a request',
    '',
    `One GET that answers a small JSON body, with ${rules.length.toLocaleString('en')} rules and ${userCount.toLocaleString('en')} live ES256 tokens in turn;`,
    'server on one core, wrk on the other with 32 connections (one to Express); medians of rounds in which every server had its turn.',
    '',
    '| Server | Requests a second | Portcullis to it |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  const bars = [
    {
      what: 'throughput to the same route without checks',
      value: ratioTo(headers),
      limit: 0.92,
      unit: 'x',
      better: 'higher',
    },
    {
      what: 'throughput to Express with jsonwebtoken and node-casbin',
      value: ratioTo(peer),
      limit: 20,
      unit: 'x',
      better: 'higher',
    },
  ] as const;
  return { tables, bars, charts: {} };
}
