// No route without a declared access.
import { accesses } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { StartRefusal } from '../base/values/start-refusal.ts';

/** What is wrong with declared endpoints, each with what to do; empty where nothing is. */
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

/** The net below: a route that somebody registers past the declarations stops the start too. */
export function refuseUndeclaredRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    const problems = lintAccesses([{ method: String(method), path: url, access: config?.access }]);
    if (problems.length > 0) throw new StartRefusal(problems);
  });
}
