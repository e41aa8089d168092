// Deny by default: refuses a start with a route that declares no access.
import { accesses } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { StartRefusal } from '../base/values/start-refusal.ts';

/** Lint of declared endpoints: each problem with its remedy; empty when there is none. */
export function lintAccesses(
  endpoints: readonly { method: string; path: string; access?: unknown }[],
): string[] {
  return endpoints
    .filter(({ access }) => !accesses.some((known) => known === access))
    .map(
      ({ method, path }) =>
        `The route ${method} ${path} declares no access. Declare it with defineEndpoint and an access of ${accesses.join(', ')}.`,
    );
}

/** The second check: a route that is registered without a declaration refuses the start too. */
export function refuseUndeclaredRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    const problems = lintAccesses([{ method: String(method), path: url, access: config?.access }]);
    if (problems.length > 0) throw new StartRefusal(problems);
  });
}
