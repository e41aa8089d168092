// Which page an address shows, and that nobody sees one before signing in. The service decides what it answers; this
// only spares the user pages that cannot work.
import { createRouter, createWebHistory, type Router } from 'vue-router';
import { kindOf } from '../calls/describe-error.ts';
import { isSignedIn, loadMe } from '../session.ts';
import { navigation } from './navigation.ts';
import { objectPages } from './object-pages.ts';
import { watchPages } from './page-failure.ts';
import { objectPageLoaders, pageLoaders } from './page-loaders.ts';

declare module 'vue-router' {
  interface RouteMeta {
    /** Shown to anybody, without the frame of the console. */
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
        name: 'return',
        path: '/return/:key',
        component: () => import('../pages/return/return-page.vue'),
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
        name: 'ways-in',
        path: '/ways-in',
        component: () => import('../pages/ways-in/ways-in-page.vue'),
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
    // After a reload: the cookie may still know us.
    return await loadMe().then(
      () => true,
      (error: unknown) => {
        // Whoever gets no answer is not signed out: the page says that it could not be loaded.
        if (['network', 'timed_out'].includes(kindOf(error) ?? '')) throw error;
        return { name: 'sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } };
      },
    );
  });
  watchPages(router);
  return router;
}
