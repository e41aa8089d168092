// Benchmark of a webhook's cost for a login: logins at a constant rate on one instance, with the webhook enabled and
// disabled in interleaved rounds. The receiver is a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { captchaAnswer, solveCaptcha } from '../test/rig/captcha.ts';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../test/rig/http-client.ts';
import { password, seed } from '../test/rig/seed.ts';
import { startServer } from '../test/rig/start-server.ts';
import { type Bench, median, printLine } from './bench.ts';

const turnMilliseconds = 5000;
/** Logins started per second: the rate that two cores can serve beside everything else. */
const pace = 12;
const usernames = ['ada', 'bela', 'carl', 'gina'];

interface Round {
  readonly withHook: readonly number[];
  readonly without: readonly number[];
}

export const benchWebhooks: Bench = {
  async run({ quick }) {
    const database = await createDatabase({ migrated: true });
    const receiver = await startReceiver();
    try {
      await seed(database);
      const rounds = await measure(database, receiver.url, quick ? 2 : 20);
      return report(rounds);
    } finally {
      receiver.stop();
      await database.drop();
    }
  },
};

/** A receiver that answers every request at once. */
async function startReceiver() {
  const program = `const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1', () => console.log(server.address().port))`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}/`, stop: () => child.kill() };
}

async function measure(database: Database, url: string, count: number): Promise<Round[]> {
  const server = await startServer({
    databaseUrl: database.url,
    settings: { WEBHOOK_ALLOW_LOOPBACK: 'true' },
  });
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  try {
    const { token } = await logIn(database, client, 'ada');
    const call = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await client.send({ method, path: `/api/v1${path}`, headers, body });
      if (answer.body.code !== 200) throw new Error(answer.text);
      return answer.body.data as { id: number };
    };
    const { id } = await call('POST', '/webhooks', { name: 'bench', url });
    const turn = async (enabled: boolean) => {
      await call('PUT', `/webhooks/${id}`, { enabled });
      return await logInForAWhile(database, client);
    };
    const rounds: Round[] = [];
    for (let round = 0; round <= count; round += 1) {
      // The order alternates from round to round.
      const [first, second] = [await turn(round % 2 === 0), await turn(round % 2 !== 0)];
      const [withHook, without] = round % 2 === 0 ? [first, second] : [second, first];
      if (round === 0) continue;
      rounds.push({ withHook, without });
      printLine({ bench: 'webhooks', round, p99: [percentile(withHook, 0.99), percentile(without, 0.99)] });
    }
    const [webhook] = await database.query<{ delivered: number }>('select delivered::int from webhooks');
    if ((webhook?.delivered ?? 0) < count) throw new Error('The webhook was not told.');
    return rounds;
  } finally {
    client.close();
    await server.stop();
  }
}

async function logInForAWhile(database: Database, client: HttpClient): Promise<number[]> {
  const taken: number[] = [];
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let n = 0; performance.now() - startedAt < turnMilliseconds; n += 1) {
    running.push(
      logIn(database, client, usernames[n % usernames.length] ?? '').then(
        ({ milliseconds }) => void taken.push(milliseconds),
      ),
    );
    await sleep(Math.max(0, startedAt + ((n + 1) * 1000) / pace - performance.now()));
  }
  await Promise.all(running);
  return taken;
}

async function logIn(database: Database, client: HttpClient, username: string) {
  const { body: captcha } = await client.send({ path: '/api/v1/getCaptcha' });
  const uuid = String(captcha.id);
  await solveCaptcha(database, uuid);
  const startedAt = performance.now();
  const { body } = await client.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password, uuid, code: captchaAnswer },
  });
  return { token: String(body.token), milliseconds: performance.now() - startedAt };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function report(rounds: readonly Round[]) {
  const all = (pick: (round: Round) => readonly number[]) => rounds.flatMap(pick);
  const [withHook, without] = [all((round) => round.withHook), all((round) => round.without)];
  const row = (name: string, values: readonly number[]) =>
    `| ${name} | ${values.length} | ${percentile(values, 0.5).toFixed(1)} | ${percentile(values, 0.99).toFixed(1)} |`;
  // Compares within rounds: a disturbance affects both halves of its round, or only one of many rounds.
  const ratio = median(
    rounds.map((round) => percentile(round.withHook, 0.99) / percentile(round.without, 0.99)),
  );
  return {
    tables: [
      '## Logins with a webhook',
      '',
      `Logins of one instance at ${pace} a second, each told to a receiver on the same host, against the same without, in turns of ${turnMilliseconds / 1000} s.`,
      '',
      '| | Logins | Median, ms | p99, ms |',
      '|---|--:|--:|--:|',
      row('with a webhook', withHook),
      row('without', without),
      '',
    ].join('\n'),
    bars: [
      {
        what: 'p99 of a login with a webhook against without, median of rounds',
        value: ratio,
        limit: 1.1,
        unit: '',
        better: 'lower' as const,
      },
    ],
    charts: {},
  };
}
