// The service under test: Portcullis with a business service's own endpoints, started as a team would start it.
// RIG_ROUTES=undeclared adds a route without an access; RIG_VERIFIER=code swaps the credential step.
import { type Route, route, serve } from '@portcullis/server';
import { createBusinessRoutes, undeclaredEndpoint } from './business-routes.ts';
import { codeVerifier } from './code-verifier.ts';

const { RIG_ROUTES, RIG_VERIFIER } = process.env;
const further: Route[] =
  RIG_ROUTES === 'undeclared' ? [route(undeclaredEndpoint, () => ({ data: null }))] : [];

await serve({
  routes: [...createBusinessRoutes(), ...further],
  ...(RIG_VERIFIER === 'code' ? { credentials: codeVerifier } : {}),
});
