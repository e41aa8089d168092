// The lazy-loaded modules of the pages.
import type { Component } from 'vue';
import type { PageName } from './navigation.ts';
import type { ObjectPageName } from './object-pages.ts';

type Loaders<Name extends string> = Readonly<Record<Name, () => Promise<{ default: Component }>>>;

export const pageLoaders: Loaders<PageName> = {
  overview: () => import('../pages/overview/overview-page.vue'),
  matrix: () => import('../pages/matrix/matrix-page.vue'),
  explain: () => import('../pages/explain/explain-page.vue'),
  endpoints: () => import('../pages/endpoints/endpoints-page.vue'),
  requests: () => import('../pages/requests/requests-page.vue'),
  users: () => import('../pages/users/users-page.vue'),
  roles: () => import('../pages/roles/roles-page.vue'),
  departments: () => import('../pages/departments/departments-page.vue'),
  sessions: () => import('../pages/sessions/sessions-page.vue'),
  log: () => import('../pages/login-log/login-log-page.vue'),
  audit: () => import('../pages/audit/audit-page.vue'),
  keys: () => import('../pages/keys/keys-page.vue'),
  providers: () => import('../pages/providers/providers-page.vue'),
  webhooks: () => import('../pages/webhooks/webhooks-page.vue'),
  mails: () => import('../pages/mails/mails-page.vue'),
  start: () => import('../pages/quick-start/quick-start-page.vue'),
};

export const objectPageLoaders: Loaders<ObjectPageName> = {
  user: () => import('../pages/user/user-page.vue'),
  role: () => import('../pages/role/role-page.vue'),
  department: () => import('../pages/departments/department-page.vue'),
  session: () => import('../pages/sessions/session-page.vue'),
  provider: () => import('../pages/provider/provider-page.vue'),
  endpoint: () => import('../pages/endpoint/endpoint-page.vue'),
};
