// Creates a database with the roles and rules of the benchmark, and drops it at the end.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { roles, rules } from './fixture.ts';

const adminUrl = process.env.PORTCULLIS_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const main = join(import.meta.dirname, '../../packages/operator/src/main.ts');

export interface BenchDatabase {
  readonly url: string;
  readonly client: pg.Client;
  drop(): Promise<void>;
}

export async function createBenchDatabase(): Promise<BenchDatabase> {
  const name = `portcullis_bench_${randomBytes(4).toString('hex')}`;
  const admin = await connect(adminUrl);
  await admin.query(`create database ${name} template template0`);
  const url = Object.assign(new URL(adminUrl), { pathname: name }).href;
  const environment = { ...process.env, APPLICATION_MODE: 'dev', DATABASE_URL: url };
  await promisify(execFile)(process.execPath, [main, 'migrate'], { env: environment });
  const client = await connect(url);
  await seed(client);
  return {
    url,
    client,
    async drop() {
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

async function seed(client: pg.Client): Promise<void> {
  await client.query(
    `insert into roles (id, role_key, name)
     select id, "roleKey", "roleKey" from jsonb_to_recordset($1) as role (id bigint, "roleKey" text)`,
    [JSON.stringify(roles)],
  );
  await client.query(
    `insert into rules (role_id, method, path)
     select "roleId", method, path from jsonb_to_recordset($1) as rule ("roleId" bigint, method text, path text)`,
    [JSON.stringify(rules)],
  );
}
