// Hostile login bodies over raw sockets: only envelopes of HTTP 200 and 4xx, no success, no fault, no crash, no
// polluted prototype, and a heap that does not grow.
import { setTimeout } from 'node:timers/promises';
import { createDatabase } from '../../rig/create-database.ts';
import { seed } from '../../rig/seed.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { type Fuzzer, type FuzzResult, type FuzzRun, patience } from '../fuzzer.ts';
import { createPipelineClient, type PipelineClient } from '../pipeline-client.ts';
import type { Random } from '../random.ts';
import { runCases } from '../run-cases.ts';
import type { WireAnswer } from '../take-answer.ts';
import { generateBody } from './generate-body.ts';

export const fuzzLogin: Fuzzer = {
  title: 'hostile login bodies against the running service',
  defaultCases: 20_000,
  smallCases: 4000,
  run,
};

/** One request on each at a time, because a body that is not JSON ends the connection. */
const connections = 48;
const atOnce = connections;
/** What a fresh process compiles, caches and pools by the way is no growth. A short run has a third as many. */
const warmUpCases = 3000;
const mostGrowthMegabytes = 20;
const megabyte = 1024 * 1024;

async function run(fuzz: FuzzRun): Promise<FuzzResult> {
  const database = await createDatabase({ migrated: true });
  try {
    await seed(database);
    const script = 'test/fuzz/login/observed-service.ts';
    // A database that takes its time leaves all connections waiting at once: there are places for so many.
    const settings = { ...patience, HASH_CONCURRENCY: '8' };
    const server = await startServer({ databaseUrl: database.url, script, settings });
    const client = createPipelineClient(server.port, connections);
    try {
      return await observe(fuzz, server, client);
    } finally {
      client.close();
      await server.stop();
    }
  } finally {
    await database.drop();
  }
}

async function observe(fuzz: FuzzRun, server: Server, client: PipelineClient): Promise<FuzzResult> {
  const counts = new Map<string, number>();
  const runCase = (random: Random) => sendOne(random, client, counts);
  const options = { name: 'login', server, atOnce, runCase };
  const quiet = {
    ...fuzz,
    cases: Math.min(warmUpCases, Math.ceil(fuzz.cases / 3)),
    seed: fuzz.seed + 2 ** 31,
    progress: () => {},
  };
  const warmUp = await runCases(quiet, options);
  const before = await report(server, 1);
  counts.clear();
  const result = await runCases(fuzz, options);
  const failures = [...new Set([...warmUp.failures, ...result.failures])];
  const answers = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`);
  const remarks = [`answers: ${answers.join(', ')}`, `${result.casesPerSecond} cases a second`];
  if (failures.length > 0) return { passed: result.passed, failures, remarks };

  const after = await report(server, 2);
  const growth = (after.heapUsed + after.external - before.heapUsed - before.external) / megabyte;
  if (growth > mostGrowthMegabytes) failures.push(`The heap grew by ${growth.toFixed(1)} MB.`);
  if (after.polluted.length > 0) failures.push(`Shared prototypes changed: ${after.polluted.join(', ')}`);
  if (client.unasked > 0) failures.push(`${client.unasked} bytes of answers that nothing asked for`);
  remarks.push(
    `heap ${(before.heapUsed / megabyte).toFixed(1)} MB before, ${growth.toFixed(1)} MB more after; shared prototypes unchanged: ${after.polluted.length === 0}`,
  );
  return { passed: result.passed, failures, remarks };
}

async function sendOne(
  random: Random,
  client: PipelineClient,
  counts: Map<string, number>,
): Promise<string | undefined> {
  const body = generateBody(random);
  const bytes = random.once(12) ? chunked(random, body) : sized(random, body);
  const isAlone = body.length > 4000 || body === '' || random.once(50);
  const answer = await client.send({ bytes, isAlone });
  const outcome = outcomeOf(answer);
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  if (expected.has(outcome)) return undefined;
  const shown = JSON.stringify(bytes.slice(0, 1500));
  return `answered ${outcome} ${answer.text.slice(0, 200)}\n  ${shown}`;
}

/** No captcha was solved, so no body passes it. */
const expected = new Set([
  '200 params_invalid',
  '200 captcha_wrong',
  '400 not_http',
  '413 too large',
  '415 wrong type',
]);

function outcomeOf({ status, reason, body }: WireAnswer): string {
  const isEnvelope = typeof body.msg === 'string' && Object.keys(body).length === 2;
  if (status === 200 && body.code === 400 && isEnvelope) return `200 ${reason}`;
  if (status === 400 && body.code === 400 && isEnvelope) return '400 not_http';
  if (status === 413 && body.code === 413 && isEnvelope) return '413 too large';
  if (status === 415 && body.code === 415 && isEnvelope) return '415 wrong type';
  return `${status} ${reason ?? 'without a reason'}`;
}

const contentTypes = [
  ...[
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json ;',
    'application/json\t;x',
    'application/json;',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json,text/plain',
    'text/json',
    'text/plain',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/ld+json',
    'application/*',
    '*/*',
  ],
  ...[
    'application',
    'application/',
    '/json',
    '',
    ';',
    'json',
    '__proto__',
    'constructor',
    'application/json\xa0',
    'x'.repeat(2000),
  ],
  ...[
    'application/jsonx',
    'application /json',
    'application/json; boundary="',
    'application/octet-stream',
    'text/html',
  ],
];

function typeLines(random: Random): string {
  if (!random.once(5)) return 'Content-Type: application/json\r\n';
  if (random.once(12)) return '';
  const first = `Content-Type: ${random.pick(contentTypes)}\r\n`;
  return random.once(8) ? `${first}content-type: ${random.pick(contentTypes)}\r\n` : first;
}

function head(random: Random): string {
  const encoding = random.once(60)
    ? `Content-Encoding: ${random.pick(['gzip', 'br', 'identity', 'x'])}\r\n`
    : '';
  const agent = random.once(20)
    ? `User-Agent: ${random.pick(['\x80\xff', 'a'.repeat(1000), '\t', '=cmd'])}\r\n`
    : '';
  return `POST /api/v1/login HTTP/1.1\r\nHost: rig\r\n${typeLines(random)}${encoding}${agent}`;
}

function sized(random: Random, body: string): string {
  return `${head(random)}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function chunked(random: Random, body: string): string {
  const at = random.below(body.length + 1);
  const chunks = [body.slice(0, at), body.slice(at)].filter((part) => part !== '');
  const lines = chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return `${head(random)}Transfer-Encoding: chunked\r\n\r\n${lines.join('')}0\r\n\r\n`;
}

interface Report {
  readonly heapUsed: number;
  readonly external: number;
  readonly polluted: readonly string[];
}

/** Asked once the login log is written: what waits there is work, not growth. */
async function report(server: Server, number: number): Promise<Report> {
  while ((await readSpoolBytes(server)) > 0) await setTimeout(100);
  server.process.signal('SIGUSR2');
  const line = await server.process.waitForLine(new RegExp(`"report":${number},`));
  return JSON.parse(line) as Report;
}

async function readSpoolBytes({ opsPort }: Server): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return Number(/^portcullis_login_log_spool_bytes (\d+)$/m.exec(text)?.[1] ?? Infinity);
}
