// The tabs of a user's page, in order. A new sign-in method gets a row here.
import type { Component } from 'vue';
import UserAccess from './user-access.vue';
import UserActivity from './user-activity.vue';
import UserKeys from './user-keys.vue';
import UserLinks from './user-links.vue';
import UserSessions from './user-sessions.vue';
import UserWays from './user-ways.vue';

export const userTabs = [
  { value: 'activity', needs: (id: number) => `/api/v1/users/${id}/activity`, component: UserActivity },
  { value: 'access', needs: (id: number) => `/api/v1/users/${id}/access`, component: UserAccess },
  { value: 'sessions', needs: () => '/api/v1/sessions', component: UserSessions },
  {
    value: 'ways',
    of: 'person',
    needs: (id: number) => `/api/v1/users/${id}/factors`,
    component: UserWays,
  },
  {
    value: 'keys',
    of: 'service',
    needs: (id: number) => `/api/v1/users/${id}/keys`,
    component: UserKeys,
  },
  {
    value: 'links',
    of: 'person',
    needs: (id: number) => `/api/v1/users/${id}/provider-links`,
    component: UserLinks,
  },
] as const satisfies readonly {
  readonly value: string;
  /** The kind of account with this tab; undefined for both kinds. */
  readonly of?: 'person' | 'service';
  /** The path of the first call of the tab; the tab is hidden if the role has no rule for it. */
  readonly needs: (id: number) => string;
  readonly component: Component;
}[];
