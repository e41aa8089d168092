// Spec, Errors: a missing permission is code 401. The one setting that departs from it, `application.compatibility`, is off
// here as it is by default, and with it everything that it adds.
import { endpoints } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { useService } from '../rig/use-service.ts';
import { exampleRequest } from './example-request.ts';
import { expectRefusalBody } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

const added: Request[] = [
  { path: '/api/v1/app-config' },
  { path: '/api/v1/menurole' },
  {
    method: 'PUT',
    path: '/api/v1/user/pwd/set',
    body: { oldPassword: 'the old one', newPassword: 'lamp orbit velvet ninety' },
  },
];

describe.each(anyMode)('without compatibility, in mode %s', (mode) => {
  const service = useService({ mode });

  it('answers a role that lacks the permission with code 401 at every endpoint, never 403 [errors-role-lacks-permission] [errors-1]', async () => {
    const token = await service().tokenOf('gina');
    const refusing = endpoints.filter(({ access, excludable }) => access === 'permission' && !excludable);
    expect(refusing.length).toBeGreaterThan(40);
    for (const request of [...refusing.map(exampleRequest), { path: '/api/v1/orders' }]) {
      const answer = await service().send(present(token, 'header', request));
      expectRefusalBody(answer);
      expect(answer.headers['x-auth-reason']).toBe('permission_denied');
    }
  });

  it('serves no endpoint of go-admin’s front end to any caller [endpoints-s1]', async () => {
    for (const request of added)
      for (const sent of [request, present(await service().tokenOf('ada'), 'header', request)])
        expect((await service().send(sent)).status, request.path).toBe(404);
  });

  it('gives a role no permission beyond its rules [authentication-5d]', async () => {
    const token = await service().tokenOf('carl');
    const { body } = await service().send(present(token, 'header', { path: '/api/v1/getinfo' }));
    const { permissions } = body.data as { permissions: readonly string[] };
    expect(permissions.length).toBeGreaterThan(3);
    for (const name of permissions) expect(name).toMatch(/^(\*|[A-Z]+) \/api\/v1\//);
  });
});
