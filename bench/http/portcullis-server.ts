// Portcullis with the bench's endpoint behind both checks. Passwords are not what is measured, so any is right.
import { route, serve } from '@portcullis/server';
import { accountOf } from './fixture.ts';
import { hello, helloEndpoint } from './hello.ts';

await serve({
  routes: [route(helloEndpoint, () => ({ data: hello }))],
  credentials: {
    verify: async ({ username }) => ({ account: accountOf(Number(username.slice('user-'.length))) }),
  },
});
