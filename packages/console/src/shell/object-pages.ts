// The pages of single objects and the links to them: every displayed name links to the page of its object. Pages import
// this file, so it imports no page.
import type { RouteLocationRaw } from 'vue-router';

export const objectPages = [
  { name: 'user', path: '/users/:id(\\d+)' },
  { name: 'role', path: '/roles/:id(\\d+)' },
  { name: 'department', path: '/departments/:id(\\d+)' },
  { name: 'session', path: '/sessions/:id' },
  { name: 'provider', path: '/providers/:id(\\d+)' },
  { name: 'endpoint', path: '/endpoint' },
] as const;
export type ObjectPageName = (typeof objectPages)[number]['name'];

interface EndpointName {
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

export const linkTo = {
  user: (id: number): RouteLocationRaw => ({ name: 'user', params: { id } }),
  role: (id: number): RouteLocationRaw => ({ name: 'role', params: { id } }),
  department: (id: number): RouteLocationRaw => ({ name: 'department', params: { id } }),
  session: (id: string): RouteLocationRaw => ({ name: 'session', params: { id } }),
  provider: (id: number): RouteLocationRaw => ({ name: 'provider', params: { id } }),
  endpoint: ({ service, method, path }: EndpointName): RouteLocationRaw => ({
    name: 'endpoint',
    query: { service, method, path },
  }),
} as const;

/** The kinds of objects with a page. */
export type ObjectName =
  | { readonly kind: 'user' | 'role' | 'department' | 'provider'; readonly id: number }
  | { readonly kind: 'session'; readonly id: string };

/** The first call of the page of an object: without permission for it there is no link to the page. */
export function pathOf({ kind, id }: ObjectName): string {
  return `/api/v1/${kind}s/${id}`;
}
