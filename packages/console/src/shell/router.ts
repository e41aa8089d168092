// The router: which page an address shows, and that pages other than public ones require a session. The service decides
// about every call; the router only avoids pages that cannot work.
import { createRouter, createWebHistory, type Router } from 'vue-router';
import { kindOf } from '../calls/describe-error.ts';
import { isSignedIn, loadMe } from '../session.ts';
import { navigation } from './navigation.ts';
import { objectPages } from './object-pages.ts';
import { watchPages } from './page-failure.ts';
import { objectPageLoaders, pageLoaders } from './page-loaders.ts';

declare module 'vue-router' {
  interface RouteMeta {
    /** Public, and without the frame of the console. */
    readonly bare?: boolean;
  }
}

export function createConsoleRouter(): Router {
  const router = createRouter({
    history: createWebHistory('/console/'),
    routes: [
      ...navigation.flatMap(({ pages }) =>
        pages.map(({ name, path }) => ({ name, path, component: pageLoaders[name] })),
      ),
      ...objectPages.map(({ name, path }) => ({ name, path, component: objectPageLoaders[name] })),
      {
        name: 'sign-in',
        path: '/sign-in',
        component: () => import('../pages/sign-in/sign-in-page.vue'),
        meta: { bare: true },
      },
      {
        name: 'callback',
        path: '/callback/:key',
        component: () => import('../pages/callback/callback-page.vue'),
        meta: { bare: true },
      },
      {
        name: 'forgot-password',
        path: '/forgot-password',
        component: () => import('../pages/new-password/forgot-page.vue'),
        meta: { bare: true },
      },
      {
        name: 'new-password',
        path: '/new-password',
        component: () => import('../pages/new-password/new-password-page.vue'),
        meta: { bare: true },
      },
      {
        name: 'password',
        path: '/password',
        component: () => import('../pages/password/password-page.vue'),
      },
      {
        name: 'sign-in-methods',
        path: '/sign-in-methods',
        component: () => import('../pages/sign-in-methods/sign-in-methods-page.vue'),
      },
      {
        name: 'not-found',
        path: '/:rest(.*)*',
        component: () => import('../pages/not-found/not-found-page.vue'),
      },
    ],
  });
  router.beforeEach(async (to) => {
    if (to.meta.bare === true || isSignedIn.value) return true;
    // After a reload the cookie can still hold a session.
    return await loadMe().then(
      () => true,
      (error: unknown) => {
        // Without an answer, the user is not signed out: the page shows that it could not be loaded.
        if (['network', 'timed_out'].includes(kindOf(error) ?? '')) throw error;
        return { name: 'sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } };
      },
    );
  });
  watchPages(router);
  return router;
}
