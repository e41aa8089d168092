// The login log as an administrator reads it: which callers are allowed, what a stream shows, and that it ends with the session.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { countAwakeTime } from '../rig/awake-time.ts';
import { present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { judgeTime } from '../rig/judges-times.ts';
import { rulesInForce } from '../rig/rules-in-force.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { expectRefusal, expectSuccess } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

const paths = ['', '/counts', '/top', '/tail', '/export'].map((path) => `/api/v1/login-logs${path}`);
const tailPath = '/api/v1/login-logs/tail';

interface Stream {
  readonly response: IncomingMessage;
  text: string;
  readonly closed: Promise<unknown>;
}

/** By the query parameter, as a browser's EventSource has to. */
async function openStream({ server }: Service, path: string, token: string): Promise<Stream> {
  const request = get({ host: '127.0.0.1', port: server.port, path: `${path}?token=${token}`, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const closed = new Promise((resolve) => response.once('close', resolve));
  const stream = { response, text: '', closed };
  response
    .setEncoding('utf8')
    .on('error', () => {})
    .on('data', (part: string) => {
      stream.text += part;
    });
  return stream;
}

const freshToken = async (service: Service, username: string) =>
  String((await service.logIn(username)).body.token);

/** The records that a stream told, by their request ids. */
const toldIn = ({ text }: Stream) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).requestId as string);

describe.each(anyMode)('in mode %s', (mode) => {
  const service = useService({ mode });

  it.each(paths)(
    'refuses %s without a token, and to a role without a rule for it [what-the-service-does-2]',
    async (path) => {
      await expectRefusal(service(), { path }, 'token_missing');
      await expectRefusal(
        service(),
        present(await service().tokenOf('gina'), 'header', { path }),
        'permission_denied',
      );
    },
  );

  it.each(['ip=10.0.0.0/33', 'from=yesterday', 'reason=mood', 'username=%00'])(
    'refuses %s in the list, in the tail and in the export [events-s1]',
    async (query) => {
      for (const path of ['', '/tail', '/export']) {
        const request: Request = { path: `/api/v1/login-logs${path}?${query}` };
        const { status, headers, body } = await service().send(
          present(await service().tokenOf('ada'), 'header', request),
        );
        expect([status, body.code, headers['x-auth-reason']]).toEqual([200, 400, 'params_invalid']);
      }
    },
  );

  it('lists attempts newest first, with all their recorded fields [events-s1]', async () => {
    const wrong = await service().logIn('carl', 'wrong');
    const right = await service().logIn('carl');
    const list = async (query: string) => {
      const request: Request = { path: `/api/v1/login-logs?username=carl&${query}` };
      const answer = await service().send(present(await service().tokenOf('ada'), 'header', request));
      expectSuccess(answer);
      return (answer.body.data as { items: Record<string, unknown>[] }).items;
    };
    await eventually(async () => (await list('limit=2')).map(({ requestId }) => requestId)).toEqual([
      right.headers['x-request-id'],
      wrong.headers['x-request-id'],
    ]);
    // A page is short where the search for it took too long.
    await eventually(() => list('outcome=failure&ip=127.0.0.0/8&limit=1')).toMatchObject([
      { outcome: 'failure', reason: 'credentials_wrong', ip: '127.0.0.1' },
    ]);
  });

  it('streams an attempt to a follower, and ends within a second of the logout [events-s1]', async () => {
    const token = await freshToken(service(), 'ada');
    const stream = await openStream(service(), tailPath, token);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    const attempt = await service().logIn('nobody', 'wrong');
    await eventually(() => toldIn(stream)).toContain(attempt.headers['x-request-id']);
    expectSuccess(await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' })));
    const readTime = countAwakeTime();
    await stream.closed;
    judgeTime('The end of a tail', readTime(), 1000);
  });

  it('exports to a file that spreadsheets can open [events-s1]', async () => {
    const agent = '=HYPERLINK("http://x","y")';
    const path = '/api/v1/login';
    const headers = { 'user-agent': agent };
    const attempt = await service().send({ method: 'POST', path, body: { username: 'eve' }, headers });
    const id = String(attempt.headers['x-request-id']);
    const token = await service().tokenOf('ada');
    const download = () =>
      service().send(present(token, 'header', { path: '/api/v1/login-logs/export?username=eve' }));
    await eventually(async () => (await download()).text).toContain(id);
    const { text, headers: answered } = await download();
    expect(answered).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment/),
    });
    expect(text).toContain(`,"'=HYPERLINK(""http://x"",""y"")",`);
  });
});

it.each([
  [
    'whose user is disabled',
    async (service: Service, admin: string) => {
      const [user] = await service.database.query<{ id: number }>(
        `select id::int from users where username = 'carl'`,
      );
      return { method: 'PUT', path: `/api/v1/users/${user?.id}/enabled`, body: { enabled: false }, admin };
    },
  ],
  [
    'whose rule is taken away',
    async (_service: Service, admin: string) => ({
      method: 'POST',
      path: '/api/v1/roles/2/rules',
      body: { remove: [{ method: 'GET', path: tailPath }] },
      admin,
    }),
  ],
])('a tail %s ends within a second of the answer [what-the-service-does-s2]', async (_what, revocation) => {
  const service = await startService({ mode: 'prod' });
  try {
    const admin = await service.tokenOf('ada');
    const rule = rulesInForce([{ method: 'GET', path: tailPath }]);
    const add: Request = { method: 'POST', path: '/api/v1/roles/2/rules', body: rule };
    expectSuccess(await service.send(present(admin, 'header', add)));
    const stream = await openStream(service, tailPath, await freshToken(service, 'carl'));
    expect(stream.response.headers['content-type']).toBe('text/event-stream');
    const { admin: token, ...request } = await revocation(service, admin);
    expectSuccess(await service.send(present(token, 'header', request)));
    const readTime = countAwakeTime();
    await stream.closed;
    judgeTime('The end of a tail', readTime(), 1000);
  } finally {
    await service.stop();
  }
});

it('ends a tail when the service stops, and does not delay the stop [events-s1]', async () => {
  const service = await startService({ mode: 'prod' });
  try {
    const stream = await openStream(service, tailPath, await service.tokenOf('ada'));
    expect(await service.server.stop()).toBe(0);
    await stream.closed;
    expect(stream.response.complete).toBe(false);
  } finally {
    await service.stop();
  }
});
