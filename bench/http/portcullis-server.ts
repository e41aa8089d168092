// Portcullis with the benchmark's endpoint behind both checks, and the same endpoint without a check. It accepts every
// password, because password hashing is not measured here.
import { route, serve } from '@portcullis/server';
import { accountOf } from './fixture.ts';
import { hello, helloEndpoint, openEndpoint } from './hello.ts';

await serve({
  routes: [helloEndpoint, openEndpoint].map((endpoint) => route(endpoint, () => ({ data: hello }))),
  credentials: {
    verify: async ({ username }) => ({ account: accountOf(Number(username.slice('user-'.length))) }),
  },
});
