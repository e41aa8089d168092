import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { expect, it } from 'vitest';
import { reasonOf } from '../../src/compose/reason-of.ts';

const connect = async (url: string): Promise<unknown> => {
  const client = new pg.Client(url);
  return await client.connect().then(
    () => client.end(),
    (error: unknown) => error,
  );
};
const server = process.env.PORTCULLIS_TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

it('names the port that is taken', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address() as AddressInfo;
  const [error] = await once(createServer().listen(port, '127.0.0.1'), 'error');
  first.close();
  expect(reasonOf(error)).toMatch(`The port ${port} of 127.0.0.1 is taken.`);
});

it('names the database that does not exist', async () => {
  const error = await connect(server.replace(/\/[^/]*$/, '/portcullis_nowhere'));
  expect(reasonOf(error)).toMatch('The database portcullis_nowhere does not exist. Create it');
});

it('names the address where Postgres does not answer', async () => {
  expect(reasonOf(await connect('postgres://postgres@127.0.0.1:1/x'))).toMatch(
    'Postgres does not answer at 127.0.0.1:1 (ECONNREFUSED).',
  );
});

it('names the owner of the tables to a role that lacks a right', () => {
  const error = Object.assign(new Error('must be owner of table login_log'), {
    name: 'error',
    code: '42501',
  });
  expect(reasonOf(error)).toMatch(
    /lacks a right: must be owner of table login_log \(42501\)\. Run .*`portcullis log maintain` as the owner/,
  );
});
