// The search results in groups, limited to what the caller has permission for. Users are searched while typing; all
// other lists are loaded once and searched locally.
import { useQuery } from '@tanstack/vue-query';
import { computed, type Ref } from 'vue';
import type { RouteLocationRaw } from 'vue-router';
import { client } from '../client.ts';
import { useTexts } from '../language/language.ts';
import { readCall } from '../pages/explain/question.ts';
import { useDepartments } from '../pickers/use-departments.ts';
import { useUserSearch } from '../pickers/use-found-users.ts';
import { useRoles } from '../pickers/use-roles.ts';
import { may } from '../session.ts';
import { navigation, pageTitles } from '../shell/navigation.ts';
import { linkTo } from '../shell/object-pages.ts';
import type { MenuAction } from '../ui/action-menu.vue';
import type { IconName } from '../ui/app-icon.vue';
import { findEndpoints } from './find-endpoints.ts';
import { hasWords } from './has-words.ts';
import { texts } from './texts.ts';

export interface Result {
  readonly key: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail: string;
  readonly code?: boolean;
  /** The page to open, or the function to run. */
  readonly target: RouteLocationRaw | (() => void);
}
export interface ResultGroup {
  readonly label: string;
  readonly results: readonly Result[];
}

const mostOfGroup = 6;
const routesFreshMilliseconds = 60_000;

export function useSearch(typed: Readonly<Ref<string>>, own: Readonly<Ref<readonly MenuAction[]>>) {
  const t = useTexts(texts);
  const titles = useTexts(pageTitles);
  const people = useUserSearch(typed, { blank: false });
  const { roles, isLoading: rolesLoading, error: rolesError } = useRoles();
  const { departments, isLoading: departmentsLoading, error: departmentsError } = useDepartments();
  const routes = useQuery({
    queryKey: ['matrix', 'routes'],
    queryFn: async ({ signal }) => (await client.matrix({ query: { limit: 1 }, signal })).data.routes.items,
    enabled: computed(() => may('GET', '/api/v1/matrix')),
    staleTime: routesFreshMilliseconds,
  });
  const isBlank = computed(() => typed.value.trim() === '');
  const isCall = computed(() => /^\s*([a-z]+\s+)?(\/|https?:)/i.test(typed.value));

  const foundPeople = computed<Result[]>(() =>
    isBlank.value
      ? []
      : people.users.value.slice(0, mostOfGroup).map(({ id, username, name, departmentName, enabled }) => ({
          key: `user-${id}`,
          icon: 'users',
          title: name === '' ? username : `${name} (${username})`,
          detail: enabled ? departmentName : `${departmentName} · ${t.value.disabled}`,
          target: may('GET', `/api/v1/users/${id}`)
            ? linkTo.user(id)
            : { path: '/users', query: { search: username } },
        })),
  );
  const foundRoles = computed<Result[]>(() =>
    roles.value
      .filter(({ name, roleKey }) => !isBlank.value && hasWords(`${name} ${roleKey}`, typed.value))
      .slice(0, mostOfGroup)
      .map(({ id, name, roleKey }) => ({
        key: `role-${id}`,
        icon: 'roles',
        title: name,
        detail: roleKey,
        target: linkTo.role(id),
      })),
  );
  const foundEndpoints = computed<Result[]>(() =>
    findEndpoints(routes.data.value ?? [], typed.value, mostOfGroup).map((route) => ({
      key: `endpoint-${route.service}-${route.method}-${route.path}`,
      icon: 'endpoints',
      title: `${route.method} ${route.path}`,
      detail: route.title,
      code: true,
      target: linkTo.endpoint(route),
    })),
  );
  const foundDepartments = computed<Result[]>(() =>
    departments.value
      .filter(({ name }) => !isBlank.value && hasWords(name, typed.value))
      .slice(0, mostOfGroup)
      .map(({ id, name }) => ({
        key: `department-${id}`,
        icon: 'departments',
        title: name,
        detail: '',
        target: linkTo.department(id),
      })),
  );
  const foundPages = computed<Result[]>(() =>
    navigation
      .flatMap(({ pages }) => pages)
      .filter(
        ({ name, needs }) =>
          (needs === undefined || may(...needs)) && hasWords(titles.value[name], typed.value),
      )
      .map(({ name, path, icon }) => ({
        key: `page-${name}`,
        icon,
        title: titles.value[name],
        detail: '',
        target: path,
      })),
  );
  const actions = computed<Result[]>(() => {
    const call = isCall.value ? readCall('GET', typed.value) : undefined;
    const offered: (Result | false)[] = [
      may('POST', '/api/v1/users') &&
        may('GET', '/api/v1/roles') &&
        may('GET', '/api/v1/departments') && {
          key: 'action-create-user',
          icon: 'plus',
          title: t.value.createUser,
          detail: '',
          target: { path: '/users', query: { create: '1' } },
        },
      may('POST', '/api/v1/roles') && {
        key: 'action-create-role',
        icon: 'plus',
        title: t.value.createRole,
        detail: '',
        target: { path: '/roles', query: { create: '1' } },
      },
      may('GET', '/api/v1/explain') && {
        key: 'action-explain',
        icon: 'explain',
        title: call === undefined ? t.value.explain : t.value.explainThis(`${call.method} ${call.path}`),
        detail: '',
        target: { path: '/explain', query: { ...call } },
      },
      ...own.value.map(
        ({ label, icon, run }): Result => ({
          key: `action-${label}`,
          icon,
          title: label,
          detail: '',
          target: run,
        }),
      ),
    ];
    return offered
      .filter((one) => one !== false)
      .filter(
        ({ key, title }) => hasWords(title, typed.value) || (key === 'action-explain' && call !== undefined),
      );
  });

  const groups = computed<ResultGroup[]>(() => {
    const endpoints = { label: t.value.endpoints, results: foundEndpoints.value };
    const all = [
      ...(isCall.value ? [endpoints] : []),
      { label: t.value.people, results: foundPeople.value },
      { label: t.value.roles, results: foundRoles.value },
      { label: t.value.departments, results: foundDepartments.value },
      { label: t.value.pages, results: foundPages.value },
      { label: t.value.actions, results: actions.value },
      ...(isCall.value ? [] : [endpoints]),
    ];
    return all.filter(({ results }) => results.length > 0);
  });

  return {
    groups,
    isSearching: computed(
      () =>
        !isBlank.value &&
        ((may('GET', '/api/v1/users') && people.isSearching.value) ||
          [rolesLoading, departmentsLoading, routes.isLoading].some((loading) => loading.value)),
    ),
    problems: computed(() =>
      [
        { what: t.value.people, error: isBlank.value ? null : people.error.value },
        { what: t.value.roles, error: rolesError.value },
        { what: t.value.departments, error: departmentsError.value },
        { what: t.value.endpoints, error: routes.error.value },
      ].filter(({ error }) => error !== null),
    ),
    retry: people.retry,
  };
}
