// What a login costs beyond its hash: full logins (captcha, throttle, hash, token, session, record) against bare hashes
// of the same process, in turns.
import { errorTable } from '@portcullis/contract';
import { captchaAnswer, solveCaptcha } from '../test/rig/captcha.ts';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../test/rig/http-client.ts';
import { startServer } from '../test/rig/start-server.ts';
import { type Bench, type BenchResult, median, printLine } from './bench.ts';
import { password, passwordHash, userCount, usernameOf } from './login/fixture.ts';

const turnMilliseconds = 2000;
/** Enough that the next password always waits for its hash. */
const clientsPerHash = 4;

interface Round {
  readonly loginsPerSecond: number;
  readonly hashesPerSecond: number;
}

export const benchLogin: Bench = {
  async run({ quick }) {
    const database = await createDatabase({ migrated: true });
    try {
      await seed(database);
      const rounds = quick ? 2 : 15;
      const one = await measure(database, 1, rounds);
      // No bar is about two at once.
      const two = quick ? [] : await measure(database, 2, rounds);
      return report(one, two);
    } finally {
      await database.drop();
    }
  },
};

async function seed(database: Database): Promise<void> {
  await database.query(`insert into departments (name) values ('Head office')`);
  await database.query(`insert into roles (id, role_key, name) values (2, 'clerk', 'clerk')`);
  await database.query(
    `insert into users (username, canonical_username, department_id, role_id, password_hash)
     select 'user-' || n, 'user-' || n, departments.id, 2, $2 from departments, generate_series(0, $1::int - 1) as n`,
    [userCount, passwordHash],
  );
}

async function measure(database: Database, concurrency: number, rounds: number): Promise<Round[]> {
  const server = await startServer({
    databaseUrl: database.url,
    script: 'bench/login/login-server.ts',
    settings: { HASH_CONCURRENCY: String(concurrency) },
  });
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  try {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const one = await takeRound(database, client, concurrency);
      if (round === 0) continue;
      measured.push(one);
      printLine({ bench: 'login', concurrency, round, ...one });
    }
    return measured;
  } finally {
    client.close();
    await server.stop();
  }
}

async function takeRound(database: Database, client: HttpClient, concurrency: number): Promise<Round> {
  const hashesPerSecond = await bareHashes(client, concurrency);
  return { hashesPerSecond, loginsPerSecond: await logInForAWhile(database, client, concurrency) };
}

async function bareHashes(client: HttpClient, concurrency: number): Promise<number> {
  const body = { milliseconds: turnMilliseconds, concurrency };
  const answer = await client.send({ method: 'POST', path: '/api/v1/bare-hashes', body });
  return (answer.body.data as { hashesPerSecond: number }).hashesPerSecond;
}

async function logInForAWhile(database: Database, client: HttpClient, concurrency: number): Promise<number> {
  const startedAt = performance.now();
  let logins = 0;
  const logInOn = async (index: number) => {
    for (let user = index; performance.now() - startedAt < turnMilliseconds; user += 7) {
      if (await logIn(database, client, usernameOf(user))) logins += 1;
    }
  };
  await Promise.all(Array.from({ length: clientsPerHash * concurrency }, (_, index) => logInOn(index)));
  return logins / ((performance.now() - startedAt) / 1000);
}

/** Not where the turn of its hash did not come within a second, as on a machine that stood still so long. */
async function logIn(database: Database, client: HttpClient, username: string): Promise<boolean> {
  const { body: captcha } = await client.send({ path: '/api/v1/getCaptcha' });
  const uuid = String(captcha.id);
  await solveCaptcha(database, uuid);
  const { body, text } = await client.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password, uuid, code: captchaAnswer },
  });
  if (body.code !== 200 && body.code !== errorTable.rate_limited.code)
    throw new Error(`${username} cannot log in: ${text}`);
  return body.code === 200;
}

function report(one: readonly Round[], two: readonly Round[]): BenchResult {
  const ratio = (rounds: readonly Round[]) =>
    median(rounds.map(({ loginsPerSecond, hashesPerSecond }) => loginsPerSecond / hashesPerSecond));
  const row = (name: string, rounds: readonly Round[]) => {
    const [logins, hashes] = [
      median(rounds.map(({ loginsPerSecond }) => loginsPerSecond)),
      median(rounds.map(({ hashesPerSecond }) => hashesPerSecond)),
    ];
    return `| ${name} | ${hashes.toFixed(1)} | ${logins.toFixed(1)} | ${ratio(rounds).toFixed(2)} |`;
  };
  return {
    tables: [
      '## Logins',
      '',
      `Full logins (captcha drawn, fetched and solved, throttle, argon2id at 19 MiB and 2 passes, token, session, record) against bare hashes of the same process, in turns of ${turnMilliseconds / 1000} s; medians of ${one.length} rounds. The client and Postgres share the two cores.`,
      '',
      '| Hashes at once | Bare hashes a second | Logins a second | Ratio |',
      '|---|--:|--:|--:|',
      row('1', one),
      ...(two.length === 0 ? [] : [row('2', two)]),
      '',
    ].join('\n'),
    bars: [
      {
        what: 'Logins against bare hashes, one at once',
        value: ratio(one),
        limit: 0.9,
        unit: '',
        better: 'higher',
      },
    ],
    charts: {},
  };
}
