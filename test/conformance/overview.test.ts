// Spec, What the service does: the two checks, their order, and that neither can be skipped.
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { decodeToken, expiredClaims, signToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectRefusal, expectSuccess } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

const orders: Request = { path: '/api/v1/orders' };

describe.each(anyMode)('in mode %s', (mode) => {
  const service = useService({ mode });

  it('refuses an expired token for its expiry, not for the permission that its role also lacks [what-the-service-does-s2] [authentication-5]', async () => {
    const claims = expiredClaims(await service().claimsOf('gina'));
    const token = signToken(claims, await service().signingKey());
    await expectRefusal(service(), present(token, 'header', orders), 'token_expired');
  });

  it('refuses a missing token before the permission check [what-the-service-does-s2] [what-the-service-does-1]', async () => {
    await expectRefusal(service(), { method: 'DELETE', path: '/api/v1/orders/7' }, 'token_missing');
  });

  it('refuses a live token of a role without the permission at the permission check [what-the-service-does-2]', async () => {
    const request = present(await service().tokenOf('gina'), 'header', {
      method: 'DELETE',
      path: '/api/v1/orders/7',
    });
    await expectRefusal(service(), request, 'permission_denied');
  });

  it('runs both checks before it reads the body, so that a refused caller learns nothing about the body [what-the-service-does-s2]', async () => {
    const broken: Request = { method: 'POST', path: '/api/v1/orders', text: '{"item":' };
    await expectRefusal(service(), broken, 'token_missing');
    await expectRefusal(
      service(),
      present(await service().tokenOf('gina'), 'header', broken),
      'permission_denied',
    );
  });

  it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'decides on the method that was sent, whatever %s says [what-the-service-does-2] [what-the-service-does-s2]',
    async (header) => {
      const token = await service().tokenOf('carl');
      const request = { method: 'DELETE', path: '/api/v1/orders/7', headers: { [header]: 'GET' } };
      await expectRefusal(service(), present(token, 'header', request), 'permission_denied');
      const served = await service().send(
        present(token, 'header', { path: '/api/v1/orders/7', headers: { [header]: 'DELETE' } }),
      );
      expect(served.body.data).toEqual({ done: 'showed 7' });
    },
  );

  it.each(['x-original-url', 'x-rewrite-url', 'x-forwarded-uri', 'x-forwarded-prefix'])(
    'decides on the path that was sent, whatever %s says [what-the-service-does-2] [what-the-service-does-s2]',
    async (header) => {
      const request = { path: '/api/v1/reports/2026/11', headers: { [header]: '/api/v1/orders' } };
      await expectRefusal(
        service(),
        present(await service().tokenOf('carl'), 'header', request),
        'permission_denied',
      );
    },
  );

  it('accepts no header as an identity [what-the-service-does-1]', async () => {
    const headers = {
      'x-user-id': '1',
      'x-role-key': 'admin',
      'x-forwarded-user': 'ada',
      'x-remote-user': 'ada',
    };
    await expectRefusal(service(), { ...orders, headers }, 'token_missing');
  });

  it('serves a request that passes both checks [what-the-service-does-s2] [what-the-service-does-1] [what-the-service-does-2]', async () => {
    const before = await service().countEntries();
    expectSuccess(await service().send(present(await service().tokenOf('carl'), 'header', orders)));
    expect(await service().countEntries()).toBe(before + 1);
  });

  it('issues a JWT by login [what-the-service-does-s3]', async () => {
    const { body } = await service().logIn('carl');
    expect(String(body.token)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(decodeToken(String(body.token)).header).toEqual({
      alg: 'ES256',
      typ: 'JWT',
      kid: expect.any(String),
    });
  });
});
