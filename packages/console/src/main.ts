// The entry point of the console: sets up the router, the queries, and the handling of an ended session.
import './style.css';
import { VueQueryPlugin } from '@tanstack/vue-query';
import { createApp } from 'vue';
import { kindOf } from './calls/describe-error.ts';
import { createQueryClient } from './calls/query-client.ts';
import { onSignedOut } from './client.ts';
import { forgetMe } from './session.ts';
import ConsoleApp from './shell/console-app.vue';
import { createConsoleRouter } from './shell/router.ts';

const router = createConsoleRouter();
const queryClient = createQueryClient((error) => {
  if (kindOf(error) === 'password_change_required')
    void router.push({ name: 'password', query: { due: '1' } });
});

onSignedOut(() => {
  forgetMe();
  queryClient.clear();
  const { name, fullPath } = router.currentRoute.value;
  // During a navigation the router redirects to the sign-in page.
  if (name !== undefined && name !== 'sign-in')
    void router.push({ name: 'sign-in', query: { to: fullPath, ended: '1' } });
});

createApp(ConsoleApp).use(VueQueryPlugin, { queryClient }).use(router).mount('#app');
