// The service under test: Portcullis with a business service's own endpoints, started as a team would start it.
// RIG_ROUTES=undeclared adds a route without an access; RIG_VERIFIER=code swaps the credential step; RIG_PATIENCE=true waits
// for Postgres as long as it takes.
import { type Route, route, serve } from '@portcullis/server';
import { createBusinessRoutes, undeclaredEndpoint } from './business-routes.ts';
import { codeVerifier } from './code-verifier.ts';
import { usePatientPools } from './patient-pool.ts';

const { RIG_ROUTES, RIG_VERIFIER, RIG_PATIENCE } = process.env;
if (RIG_PATIENCE === 'true') usePatientPools();
const further: Route[] =
  RIG_ROUTES === 'undeclared' ? [route(undeclaredEndpoint, () => ({ data: null }))] : [];

await serve({
  routes: [...createBusinessRoutes(), ...further],
  ...(RIG_VERIFIER === 'code' ? { credentials: codeVerifier } : {}),
});
