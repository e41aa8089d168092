// Puts the console together: the router, the calls, and what happens when a session ends.
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
  if (kindOf(error) === 'password_due') void router.push({ name: 'password', query: { due: '1' } });
});

onSignedOut(() => {
  forgetMe();
  queryClient.clear();
  const { name, fullPath } = router.currentRoute.value;
  // While a page is being entered the router itself sends the user to sign in.
  if (name !== undefined && name !== 'sign-in')
    void router.push({ name: 'sign-in', query: { to: fullPath, ended: '1' } });
});

createApp(ConsoleApp).use(VueQueryPlugin, { queryClient }).use(router).mount('#app');
