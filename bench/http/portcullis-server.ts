// Portcullis with the bench's endpoint behind both checks, and the same one open. Passwords are not what is measured, so any is right.
import { route, serve } from '@portcullis/server';
import { accountOf } from './fixture.ts';
import { hello, helloEndpoint, openEndpoint } from './hello.ts';

await serve({
  routes: [helloEndpoint, openEndpoint].map((endpoint) => route(endpoint, () => ({ data: hello }))),
  credentials: {
    verify: async ({ username }) => ({ account: accountOf(Number(username.slice('user-'.length))) }),
  },
});
