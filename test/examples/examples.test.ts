// Every example holds: no handler without a permitted caller, and no row outside the data scope.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient, type Request } from '../rig/http-client.ts';
import { mostResent, note } from '../rig/notes.ts';
import { type Example, examples, slowExamples } from './start-example.ts';
import { createWorld, logIn } from './world.ts';

const orders = '/api/v1/orders';
const order = (customer: string, departmentId: number) => ({ customer, amount: 1200, departmentId });

/** Where a machine stalls for seconds, the request is refused with 503: then it is sent again. */
function patient(client: HttpClient): HttpClient {
  const send = async (request: Request, tries = 20): Promise<Answer> => {
    const answer = await client.send(request);
    if (answer.status !== 503 || tries === 1) return answer;
    note('retried', 'a request that an example answered with 503', mostResent);
    await sleep(500);
    return await send(request, tries - 1);
  };
  return { ...client, send: (request) => send(request) };
}

const chosen = process.env.PORTCULLIS_SLOW_EXAMPLES === 'true' ? slowExamples : examples;

describe.each<(typeof chosen)[number]>(chosen)('%s', (_, start) => {
  let database: Database;
  let example: Example;
  let client: HttpClient;
  let portcullis: HttpClient;
  const tokens = new Map<string, string>();
  const idOf = new Map<string, string>();

  beforeAll(async () => {
    database = await createWorld();
    example = await start(database);
    client = patient(createHttpClient(example.port, { remembers: false, resends: true }));
    portcullis = patient(createHttpClient(example.portcullisPort, { remembers: false, resends: true }));
    for (const username of ['ada', 'alba', 'carl', 'bela', 'sven', 'gina', 'mark'])
      tokens.set(username, await logIn(portcullis, database, username));
  });
  afterAll(async () => {
    client?.close();
    portcullis?.close();
    await example?.stop();
    await database?.drop();
  });

  const as = (username: string, request: Request): Request => ({
    ...request,
    headers: { authorization: `Bearer ${tokens.get(username)}` },
  });
  const customersOf = ({ body }: Answer) =>
    (body.data as { customer: string }[]).map(({ customer }) => customer).toSorted();
  const listAs = async (username: string) => customersOf(await client.send(as(username, { path: orders })));

  let marks = 0;
  /** Every handler that was entered so far. Its line comes by another way than its answer: that of a list by `mark` is awaited. */
  async function readEntered(): Promise<string[]> {
    marks += 1;
    await client.send(as('mark', { path: orders }));
    const read = () => example.process.output.split('\n').filter((line) => / orders?$/.test(line));
    const isMark = (line: string) => line === 'mark lists orders';
    await expect.poll(() => read().filter(isMark).length, { timeout: 120_000 }).toBe(marks);
    return read().filter((line) => !isMark(line));
  }

  async function enteredBy(work: () => Promise<void>): Promise<string[]> {
    const before = await readEntered();
    await work();
    return (await readEntered()).slice(before.length);
  }

  function expectRefusal(answer: Answer, reason: string): void {
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ code: 401, msg: expect.any(String) });
    expect(answer.headers['x-auth-reason']).toBe(reason);
    expect(answer.headers['cache-control']).toBe('no-store');
  }

  it('refuses a call without a token, and no handler is entered', async () => {
    const calls: Request[] = [
      { path: orders },
      { method: 'POST', path: orders, body: order('Nobody', 1) },
      { method: 'POST', path: `${orders}/x/cancel` },
      { path: orders, headers: { 'x-portcullis-user-id': '1', 'x-portcullis-username': 'ada' } },
    ];
    const lines = await enteredBy(async () => {
      for (const call of calls) expectRefusal(await client.send(call), 'token_missing');
    });
    expect(lines).toEqual([]);
  });

  it('refuses a forged token, and no handler is entered', async () => {
    const lines = await enteredBy(async () => {
      const [head, claims] = tokens.get('ada')?.split('.') ?? [];
      const signature = tokens.get('gina')?.split('.').at(-1);
      const headers = { authorization: `Bearer ${head}.${claims}.${signature}` };
      expectRefusal(await client.send({ path: orders, headers }), 'token_malformed');
    });
    expect(lines).toEqual([]);
  });

  it('refuses a role that has no rule for the method and path, and no handler is entered', async () => {
    const lines = await enteredBy(async () => {
      expectRefusal(await client.send(as('gina', { path: orders })), 'permission_denied');
      const body = order('Forbidden', 3);
      expectRefusal(
        await client.send(as('alba', { method: 'POST', path: orders, body })),
        'permission_denied',
      );
      const cancel = { method: 'POST', path: `${orders}/x/cancel` };
      expectRefusal(await client.send(as('bela', cancel)), 'permission_denied');
    });
    expect(lines).toEqual([]);
  });

  it('enters no handler for another spelling of a path that the role may not call', async () => {
    const spellings = ['/api/v1/orders/', '/api/v1//orders', '//api/v1/orders', '/api/v1/%6frders'];
    const resolved = [
      '/api/v1/x/../orders',
      '/api/v1/%2e%2e/v1/orders',
      '/api/v1\\orders',
      '/api/v1/orders;x',
    ];
    const lines = await enteredBy(async () => {
      for (const path of [...spellings, ...resolved]) await client.send(as('gina', { path }));
    });
    expect(lines).toEqual([]);
  });

  it('refuses an order outside the caller’s data scope, and a malformed one', async () => {
    const post = (body: object) => client.send(as('carl', { method: 'POST', path: orders, body }));
    expect((await post(order('Elsewhere', 4))).body).toMatchObject({ code: 404 });
    for (const body of [{}, { ...order('Half', 2), amount: 0.5 }, { ...order('Text', 2), departmentId: '2' }])
      expect((await post(body)).body).toMatchObject({ code: 400 });
    expect(await listAs('ada')).toEqual([]);
  });

  it('lets a role with the rule create orders, and passes the caller to the handler', async () => {
    const made: [string, string, number][] = [
      ['ada', 'Head', 1],
      ['carl', 'Sales', 2],
      ['ada', 'North', 3],
      ['ada', 'Support', 4],
      ['sven', 'Sven', 4],
    ];
    const lines = await enteredBy(async () => {
      for (const [username, customer, department] of made) {
        const body = order(customer, department);
        const answer = await client.send(as(username, { method: 'POST', path: orders, body }));
        expect(answer.body).toMatchObject({ code: 200, data: { customer, amount: 1200, status: 'open' } });
        expect(answer.headers['cache-control']).toBe('no-store');
        idOf.set(customer, String((answer.body.data as { id: string }).id));
      }
    });
    expect(lines).toEqual(made.map(([username]) => `${username} creates an order`));
  });

  it.each([
    ['sven', 'own rows', ['Sven']],
    ['carl', 'the own department', ['Sales']],
    ['bela', 'the own department and below', ['North', 'Sales']],
    ['alba', 'the chosen departments', ['North', 'Support', 'Sven']],
    ['ada', 'all', ['Head', 'North', 'Sales', 'Support', 'Sven']],
  ])('shows %s exactly the orders of the data scope: %s', async (username, _scope, customers) => {
    expect(await listAs(username)).toEqual(customers);
  });

  it('cancels an order inside the data scope once, and none outside', async () => {
    const cancel = async (username: string, customer: string) => {
      const path = `${orders}/${idOf.get(customer)}/cancel`;
      return (await client.send(as(username, { method: 'POST', path }))).body;
    };
    expect(await cancel('carl', 'Support')).toMatchObject({ code: 404 });
    expect(await cancel('sven', 'Support')).toMatchObject({ code: 404 });
    expect(await cancel('carl', 'Sales')).toMatchObject({ code: 200, data: { status: 'cancelled' } });
    expect(await cancel('carl', 'Sales')).toMatchObject({ code: 404 });
    const { body } = await client.send(as('ada', { path: orders }));
    const open = (body.data as { customer: string; status: string }[]).filter(
      ({ status }) => status === 'open',
    );
    expect(open.map(({ customer }) => customer).toSorted()).toEqual(['Head', 'North', 'Support', 'Sven']);
  });

  it('refuses the next call after a rule was revoked, and after logout', async () => {
    const admin = (request: Request) => portcullis.send(as('ada', request));
    const rule = { method: 'GET', path: orders };
    const [role] = await database.query<{ id: string }>(`select id from roles where role_key = 'seller'`);
    const path = `/api/v1/roles/${role?.id}/rules`;
    const lines = await enteredBy(async () => {
      expect((await admin({ method: 'POST', path, body: { remove: [rule] } })).body).toMatchObject({
        code: 200,
      });
      expectRefusal(await client.send(as('sven', { path: orders })), 'permission_denied');
      const logout = await portcullis.send(as('carl', { method: 'POST', path: '/api/v1/logout' }));
      expect(logout.body).toMatchObject({ code: 200 });
      expectRefusal(await client.send(as('carl', { path: orders })), 'token_revoked');
    });
    expect(lines).toEqual([]);
  });
});
