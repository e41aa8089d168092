// Benchmark of the gateway recipe: a service called directly, through nginx, and through nginx with the recipe, which
// asks Portcullis about every request. Constant rate, interleaved rounds.
import { randomBytes } from 'node:crypto';
import { type Gateway, startGateway } from '../test/gateways/gateway.ts';
import { nginx } from '../test/gateways/recipes.ts';
import { findFreePort } from '../test/rig/tcp-proxy.ts';
import { type Bench, type BenchResult, median, printLine } from './bench.ts';
import { type Latencies, putLoad } from './gateway/constant-rate.ts';
import { plainNginx } from './gateway/plain-nginx.ts';
import { createBenchDatabase } from './http/database.ts';
import { rules, userCount } from './http/fixture.ts';
import { helloEndpoint } from './http/hello.ts';
import { type ServerProcess, startServer } from './http/server-process.ts';
import { logInAll } from './http/tokens.ts';

interface Way {
  readonly name: string;
  readonly port: number;
}

const direct = 'the service, asked directly';
const proxied = 'nginx before the service';
const gated = 'nginx with the gate before the service';

/** The limit applies at the first rate; the others show results below the capacity of the machine's cores. */
const rates = [2000, 1500, 1000, 500] as const;
const [barRate] = rates;

export const benchGateway: Bench = {
  async run({ quick }) {
    const database = await createBenchDatabase();
    const stops: (() => Promise<void>)[] = [];
    try {
      const { ways, requests } = await startWays(database.url, stops);
      const seconds = quick ? 1 : 2;
      for (const { port } of ways) await putLoad({ port, requests, perSecond: 1000, seconds });
      const measured = new Map<number, Turns>();
      for (const rate of rates)
        measured.set(rate, await measure({ ways, requests, rate, seconds, rounds: quick ? 3 : 11 }));
      return report(measured);
    } finally {
      for (const stop of stops.reverse()) await stop();
      await database.drop();
    }
  },
};

async function startWays(databaseUrl: string, stops: (() => Promise<void>)[]) {
  const keep = <T extends ServerProcess | Gateway>(started: T): T => {
    stops.push(() => started.stop());
    return started;
  };
  const secret = randomBytes(32).toString('hex');
  const decisionPort = await findFreePort();
  const portcullis = keep(
    await startServer({
      name: 'Portcullis',
      file: 'portcullis-server.ts',
      isFree: true,
      environment: {
        APPLICATION_MODE: 'dev',
        APPLICATION_PORT: '0',
        APPLICATION_DRAIN_SECONDS: '0',
        OPS_PORT: '0',
        DATABASE_URL: databaseUrl,
        DECISION_PORT: String(decisionPort),
        DECISION_SECRET: secret,
        LIMIT_REQUESTS_PER_SECOND: '1000000',
        LIMIT_BURST: '1000000',
      },
    }),
  );
  const bare = { name: direct, file: 'fastify-server.ts', arguments: ['--bare'], isFree: true };
  const service = keep(await startServer(bare));
  const options = { decisionPort, upstreamPort: service.port, secret };
  const plain = keep(await startGateway(plainNginx, options));
  const gate = keep(await startGateway(nginx, options));
  const ways: Way[] = [
    { name: direct, port: service.port },
    { name: proxied, port: plain.port },
    { name: gated, port: gate.port },
  ];
  const requests = (await logInAll(portcullis.port)).map((token) =>
    Buffer.from(
      `GET ${helloEndpoint.path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ),
  );
  return { ways, requests };
}

interface Measurement {
  readonly ways: readonly Way[];
  readonly requests: readonly Buffer[];
  readonly rate: number;
  readonly seconds: number;
  readonly rounds: number;
}

type Turns = ReadonlyMap<string, Latencies[]>;

/** Every other round runs in reverse order, so that no server always follows the same one. */
async function measure({ ways, requests, rate, seconds, rounds }: Measurement): Promise<Turns> {
  const turns = new Map<string, Latencies[]>(ways.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, port } of round % 2 === 0 ? ways : ways.toReversed()) {
      const turn = await putLoad({ port, requests, perSecond: rate, seconds });
      turns.get(name)?.push(turn);
      const { p50, p99, perSecond } = turn;
      printLine({
        bench: 'gateway',
        rate,
        round,
        way: name,
        perSecond,
        p50: rounded(p50),
        p99: rounded(p99),
      });
    }
  }
  return turns;
}

type Figure = 'p50' | 'p99';

function valuesOf(turns: Turns, way: string, figure: Figure): number[] {
  return (turns.get(way) ?? []).map((turn) => turn[figure]);
}

/** Compares neighbouring measurements only, because the speed of the machine changes within seconds. */
function addedBy(turns: Turns, figure: Figure): number {
  const before = valuesOf(turns, direct, figure);
  return median(valuesOf(turns, gated, figure).map((value, round) => value - (before[round] ?? Number.NaN)));
}

function report(measured: ReadonlyMap<number, Turns>): BenchResult {
  const rows = [...measured].map(([rate, turns]) => {
    const cell = (way: string) =>
      `${median(valuesOf(turns, way, 'p50')).toFixed(2)} / ${median(valuesOf(turns, way, 'p99')).toFixed(2)}`;
    const added = `${addedBy(turns, 'p50').toFixed(2)} / ${addedBy(turns, 'p99').toFixed(2)}`;
    return `| ${rate.toLocaleString('en')} | ${cell(direct)} | ${cell(proxied)} | ${cell(gated)} | ${added} |`;
  });
  const tables = [
    '## What the gate adds behind nginx',
    '',
    `Over 32 kept connections, with ${rules.length.toLocaleString('en')} rules and ${userCount.toLocaleString('en')} live ES256 tokens in turn; the generator, nginx, Portcullis,`,
    'Postgres and the service share the two cores; p50 / p99 in milliseconds, medians of rounds in which every way had its turn.',
    '',
    `| Requests a second | ${direct} | ${proxied} | ${gated} | added by nginx and the gate |`,
    '|--:|--:|--:|--:|--:|',
    ...rows,
    '',
  ].join('\n');
  const atBar = measured.get(barRate);
  const bars = [
    {
      what: `p99 added at ${barRate} requests a second`,
      value: atBar === undefined ? Number.NaN : addedBy(atBar, 'p99'),
      limit: 5,
      unit: 'ms',
      better: 'lower',
    },
  ] as const;
  return { tables, bars, charts: {} };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
