import { endAtProviderEndpoint } from '@portcullis/contract';
import { expect, it } from 'vitest';
import { providerRoutes } from '../../../src/sign-in/providers/routes.ts';

it('records the logout of every person whom a provider signed out, also after one that cannot be recorded', async () => {
  const recorded: number[] = [];
  const routes = providerRoutes({
    endAtProvider: async () => [7, 8],
    recordLogout: async ({ userId }: { userId: number }) => {
      if (userId === 7) throw new Error('The database is away.');
      recorded.push(userId);
    },
  } as unknown as Parameters<typeof providerRoutes>[0]);
  const served = routes.find(({ endpoint }) => endpoint === endAtProviderEndpoint);
  const call = { params: { key: 'company' }, body: { logout_token: 't' }, ip: '127.0.0.1', requestId: 'r' };
  expect(await served?.handle(call as never)).toEqual({ data: null });
  expect(recorded).toEqual([8]);
});
