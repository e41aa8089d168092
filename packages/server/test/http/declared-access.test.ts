import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { StartRefusal } from '../../src/base/values/start-refusal.ts';
import { refuseUndeclaredRoutes } from '../../src/http/declared-access.ts';

describe('a route', () => {
  it.each([
    ['no config', undefined],
    ['no access', {}],
    ['an unknown access', { access: 'anyone' }],
    ['an access in capitals', { access: 'PUBLIC' }],
    ['a list as access', { access: ['public'] }],
    ['an access from a prototype', { access: 'constructor' }],
  ])('with %s stops the start and says what to do', (_what, config) => {
    const app = Fastify();
    refuseUndeclaredRoutes(app);
    const add = () =>
      app.route({
        method: 'GET',
        url: '/api/v1/x',
        handler: () => ({}),
        ...(config && { config: config as object }),
      });
    expect(add).toThrow(StartRefusal);
    expect(add).toThrow(
      'The route GET /api/v1/x declares no access. Declare it with defineEndpoint and an access of public, identity, permission.',
    );
  });

  it.each(['public', 'identity', 'permission'] as const)('with the access %s is added', (access) => {
    const app = Fastify({ exposeHeadRoutes: false });
    refuseUndeclaredRoutes(app);
    app.route({ method: 'GET', url: '/api/v1/x', handler: () => ({}), config: { access } });
    expect(app.hasRoute({ method: 'GET', url: '/api/v1/x' })).toBe(true);
  });
});
