// Spec, Authentication 2: the three carriers, one at a time.
import { describe, expect, it } from 'vitest';
import { carriers, present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { useService } from '../rig/use-service.ts';
import { expectRefusal, expectSuccess } from './expect-refusal.ts';
import { modes } from './modes.ts';

const orders: Request = { path: '/api/v1/orders' };

describe.each(modes)('in mode %s', (mode) => {
  const service = useService({ mode });

  it.each(['Basic', 'Token', 'Digest', 'Bearer:', 'Bearer  ', 'Bearer\t', ''])(
    'refuses a live token behind the scheme "%s" [authentication-header]',
    async (scheme) => {
      const headers = { authorization: `${scheme} ${await service().tokenOf('carl')}` };
      await expectRefusal(service(), { ...orders, headers }, 'token_malformed');
    },
  );

  it.each(carriers)('refuses an empty token (%s) [authentication-3]', async (carrier) => {
    await expectRefusal(service(), present('', carrier, orders), 'token_malformed');
  });

  it('refuses two tokens in one carrier, even if both live [authentication-2]', async () => {
    const [carl, ada] = [await service().tokenOf('carl'), await service().tokenOf('ada')];
    const doubled: Request[] = [
      { path: `/api/v1/orders?token=${carl}&token=${ada}` },
      { ...orders, headers: { cookie: `jwt=${carl}; jwt=${ada}` } },
    ];
    for (const request of doubled) await expectRefusal(service(), request, 'token_malformed');
    const head = `GET /api/v1/orders HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${carl}\r\n`;
    const { headers, body } = await service().raw(`${head}authorization: Bearer ${ada}\r\n\r\n`);
    expect([headers['x-auth-reason'], body.code]).toEqual(['token_malformed', 401]);
  });

  it.each([
    { bad: 'header', good: 'query' },
    { bad: 'header', good: 'cookie' },
    { bad: 'query', good: 'cookie' },
  ] as const)(
    'refuses a bad token in the $bad although the $good carries a live one [authentication-2]',
    async ({ bad, good }) => {
      const both = present('no.such-token', bad, present(await service().tokenOf('carl'), good, orders));
      await expectRefusal(service(), both, 'token_malformed');
    },
  );

  it.each([
    { first: 'header', second: 'query' },
    { first: 'header', second: 'cookie' },
    { first: 'query', second: 'cookie' },
  ] as const)(
    'takes the token in the $first before the one in the $second [authentication-2]',
    async ({ first, second }) => {
      const both = present(
        await service().tokenOf('carl'),
        first,
        present(await service().tokenOf('ada'), second, { path: '/api/v1/context' }),
      );
      expect((await service().send(both)).body.data).toMatchObject({ username: 'carl' });
    },
  );

  it('takes no token from a body, another header, another parameter or another cookie [authentication-2]', async () => {
    const token = await service().tokenOf('carl');
    const elsewhere: Request[] = [
      { method: 'POST', path: '/api/v1/orders', body: { token, jwt: token, item: 'chair', count: 1 } },
      {
        ...orders,
        headers: { 'x-token': token, 'x-access-token': token, 'proxy-authorization': `Bearer ${token}` },
      },
      { path: `/api/v1/orders?jwt=${token}&access_token=${token}&Token=${token}` },
      { ...orders, headers: { cookie: `token=${token}; JWT=${token}; xjwt=${token}` } },
    ];
    for (const request of elsewhere) await expectRefusal(service(), request, 'token_missing');
  });

  it('takes a token by Authorization: Bearer, whatever the case of the scheme [authentication-header] [authentication-2]', async () => {
    const token = await service().tokenOf('carl');
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expectSuccess(await service().send({ ...orders, headers: { authorization: `${scheme} ${token}` } }));
  });

  it('takes a token by the query parameter token, alone and among others [authentication-query-parameter] [authentication-2]', async () => {
    const token = await service().tokenOf('carl');
    for (const query of [`token=${token}`, `page=2&token=${token}&size=10`])
      expectSuccess(await service().send({ path: `/api/v1/orders?${query}` }));
  });

  it('takes a token by the cookie jwt, alone and among others [authentication-cookie] [authentication-2]', async () => {
    const token = await service().tokenOf('carl');
    for (const cookie of [`jwt=${token}`, `theme=dark; jwt=${token}; lang=en`, `theme=dark;jwt=${token}`])
      expectSuccess(await service().send({ ...orders, headers: { cookie } }));
  });

  it('takes the cookie that login itself has set [authentication-cookie]', async () => {
    const { headers } = await service().logIn('carl');
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expectSuccess(await service().send({ ...orders, headers: { cookie } }));
  });
});
