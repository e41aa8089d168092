// Benchmark of a million revoked tokens: the same authenticated request on a service without revoked tokens and on one
// with all of them, in interleaved rounds, while both revoke more tokens, so that every cached token is checked
// against them again and again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type BenchResult, median, printLine } from './bench.ts';
import { type BenchDatabase, createBenchDatabase } from './http/database.ts';
import { requestsPerSecond, type ServerProcess } from './http/server-process.ts';
import { startPortcullis } from './http/start-portcullis.ts';
import { expectAllowed, logInAll, wrkScript } from './http/tokens.ts';

const endedPerSecond = 10;
const turnSeconds = 1;
const warmUpRounds = 2;

interface Side {
  readonly database: BenchDatabase;
  readonly server: ServerProcess;
  readonly script: string;
  readonly rates: number[];
}

export const benchRevocations: Bench = {
  async run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
    const sides: Side[] = [];
    try {
      for (const ended of [0, quick ? 200_000 : 1_000_000]) sides.push(await startSide(folder, ended));
      await whileTokensEnd(sides, () => measure(sides, quick ? 3 : 31));
      return report(sides);
    } finally {
      for (const { server } of sides) await server.stop();
      rmSync(folder, { recursive: true });
      for (const { database } of sides) await database.drop();
    }
  },
};

async function startSide(folder: string, ended: number): Promise<Side> {
  const database = await createBenchDatabase();
  await database.client.query(
    `insert into revocations (jti, user_id, expires_at)
     select translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_'), 1, now() + interval '1 day'
     from generate_series(1, $1::int)`,
    [ended],
  );
  const server = await startPortcullis(`${ended.toLocaleString('en')} ended tokens`, database);
  const tokens = await logInAll(server.port);
  for (const token of tokens.slice(0, 50)) await expectAllowed(server.port, token);
  const script = join(folder, `${ended}.lua`);
  writeFileSync(script, wrkScript(tokens));
  return { database, server, script, rates: [] };
}

async function whileTokensEnd(sides: readonly Side[], work: () => Promise<void>): Promise<void> {
  let ended = Promise.resolve();
  const ending = setInterval(() => {
    const all = [ended, ...sides.map(({ database }) => endOne(database))];
    ended = Promise.all(all).then(() => {});
    // The error is reported below.
    ended.catch(() => {});
  }, 1000 / endedPerSecond);
  await work().finally(() => clearInterval(ending));
  await ended;
}

/** Revokes a token as the service does. The notification alone is enough here. */
async function endOne({ client }: BenchDatabase): Promise<void> {
  await client.query(
    `with ended as (
       insert into revocations (jti, user_id, expires_at)
       values (translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_'), 1, now() + interval '1 day')
       returning jti),
     next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark),
     written as (
       insert into revisions (n, mark, changes)
       select n, mark, jsonb_build_array(jsonb_build_object('kind', 'token_revoked', 'jti', jti,
         'expiresAt', extract(epoch from now())::int + 86400)) from next, ended
       returning n)
     select pg_notify('portcullis_revision', n::text) from written`,
  );
}

async function measure(sides: readonly Side[], rounds: number): Promise<void> {
  for (let round = 1 - warmUpRounds; round <= rounds; round += 1)
    for (const { server, script, rates } of round % 2 === 0 ? sides : sides.toReversed()) {
      const rate = await requestsPerSecond(server, script, turnSeconds);
      if (round < 1) continue;
      rates.push(rate);
      printLine({ bench: 'revocations', round, server: server.name, requestsPerSecond: Math.round(rate) });
    }
}

function report(sides: readonly Side[]): BenchResult {
  const [none, many] = sides;
  if (none === undefined || many === undefined) throw new Error('There are two sides.');
  const costs = many.rates.map((rate, round) => (none.rates[round] ?? 0) / rate);
  const [memoryOfNone, memoryOfMany] = [readMegabytes(none.server.pid), readMegabytes(many.server.pid)];
  const rows = sides.map(({ server, rates }) => {
    const megabytes = Math.round(readMegabytes(server.pid));
    return `| ${server.name} | ${Math.round(median(rates)).toLocaleString('en')} | ${megabytes} MB |`;
  });
  const tables = [
    '## What a million ended tokens cost',
    '',
    `The checked request of the section above, while ${endedPerSecond} tokens a second are ended on both services; medians of ${many.rates.length} rounds.`,
    '',
    '| Service with | Requests a second | Memory |',
    '|---|--:|--:|',
    ...rows,
    '',
  ].join('\n');
  return {
    tables,
    bars: [
      {
        what: 'Time of a request against none',
        value: median(costs),
        limit: 1.1,
        unit: 'x',
        better: 'lower',
      },
      {
        what: 'Memory beyond none',
        value: memoryOfMany - memoryOfNone,
        limit: 150,
        unit: 'MB',
        better: 'lower',
      },
    ],
    charts: {},
  };
}

function readMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
