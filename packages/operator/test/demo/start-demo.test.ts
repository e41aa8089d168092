// The demo as it is started, on a real Postgres in the place of the one inside the process.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { people } from '../../src/demo/company.ts';
import { findFreePort } from '../../src/demo/find-free-port.ts';
import { deleteOrder, firstOrderId } from '../../src/demo/orders.ts';
import { type Demo, startDemo } from '../../src/demo/start-demo.ts';
import { performAs } from '../cli/perform-command.ts';

let database: FreshDatabase;
let folder: string;
let demo: Demo;
let address: string;
let isStopped = false;
const steps: string[] = [];
const decisionSecret = 'd'.repeat(32);

beforeAll(async () => {
  database = await createFreshDatabase({ migrated: false });
  folder = await mkdtemp(join(tmpdir(), 'portcullis-demo-test-'));
  const port = (await findFreePort(0, false)) ?? 0;
  address = `http://127.0.0.1:${port}`;
  const stop = async () => {
    isStopped = true;
  };
  demo = await startDemo({
    ...{ port, folder, decisionSecret, logger: pino({ level: 'silent' }) },
    postgres: Promise.resolve({ url: database.url, stop }),
    report: (step) => steps.push(step),
  });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

async function send(method: string, path: string, { token, body }: { token?: string; body?: object } = {}) {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { code: number; token: string };
}
const logIn = (account: object) => send('POST', '/api/v1/login', { body: account });

it('says what it does, and lets the administrator and the clerk in', async () => {
  expect(steps).toEqual([
    'Starting Postgres inside the process',
    'Making up a company with two weeks of logins',
    'Starting Portcullis',
  ]);
  expect(demo.facts.console).toBe(`${address}/console/`);
  const order = deleteOrder.path.replace(':id', String(firstOrderId));
  const { token: ofClerk } = await logIn(demo.facts.clerk);
  expect(await send('DELETE', order, { token: ofClerk })).toMatchObject({ code: 401 });
  const { code, token } = await logIn(demo.facts.administrator);
  expect(code).toBe(200);
  expect(await send('DELETE', order, { token })).toMatchObject({ code: 200 });
  const { username } = demo.facts.clerk;
  expect(await logIn({ username, password: demo.facts.administrator.password })).not.toMatchObject({
    code: 200,
  });
});

it('has a settings file that the other commands accept and only its owner can read', async () => {
  const { settingsFile } = demo.facts;
  expect((await stat(settingsFile)).mode & 0o777).toBe(0o600);
  const environment = { PATH: process.env.PATH };
  const words = ['user', 'list', '--json', '--config', settingsFile];
  const { code, stdout } = await performAs(words, { environment });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).items).toHaveLength(people.length);
});

it('lets guards ask that know the secret', async () => {
  const ask = async (secret: string) => {
    const headers = {
      ...{ 'x-portcullis-secret': secret, 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/api/v1/orders' },
    };
    return (await fetch(`${demo.facts.decision}/forward-auth`, { headers })).headers.get('x-auth-reason');
  };
  expect(await ask(decisionSecret)).toBe('token_missing');
  expect(await ask('e'.repeat(32))).not.toBe('token_missing');
});

it('ends with its Postgres', async () => {
  await demo.close();
  expect(isStopped).toBe(true);
  await expect(fetch(demo.facts.console)).rejects.toThrow();
});
