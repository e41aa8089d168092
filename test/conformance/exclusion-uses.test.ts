// How often the exclusion list let a request pass is counted, and stored when the service stops.
import { expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Username } from '../rig/seed.ts';
import { startService } from '../rig/start-service.ts';
import { expectSuccess } from './expect-refusal.ts';

it('counts a use of the exclusion list where no rule of the role allows the request [authentication-5b] [permission-exclusion-list-s1]', async () => {
  const service = await startService({ mode: 'prod' });
  try {
    const call = async (username: Username, path: string) =>
      await service.send(present(await service.tokenOf(username), 'header', { path }));
    for (const username of ['gina', 'carl', 'gina', 'ada'] as const)
      expectSuccess(await call(username, '/api/v1/user/profile'));
    expectSuccess(await call('carl', '/api/v1/orders'));
    const { body } = await call('ada', '/api/v1/exclusions');
    expect(body.data).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ path: '/api/v1/user/profile', uses: 0 })]),
    });
    await service.server.stop();
    const rows = await service.database.query('select entry, n::int from exclusion_uses');
    expect(rows).toEqual([{ entry: 'GET /api/v1/user/profile', n: 3 }]);
  } finally {
    await service.stop();
  }
});
