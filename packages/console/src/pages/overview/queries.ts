// Queries that several cards share: each call is made once.
import { keepPreviousData, useQuery } from '@tanstack/vue-query';
import { computed, type Ref } from 'vue';
import { client } from '../../client.ts';
import { readAll } from '../../pickers/read-all.ts';
import { may } from '../../session.ts';
import { figuresFrom, sumLogins } from './sum-logins.ts';

const minute = 60_000;
const hour = 60 * minute;
const instanceMilliseconds = 5000;
const listedRoutes = 1000;
const pagesOfUsers = 5;

export const activityRanges = ['day', 'week', 'fortnight'] as const;
export type ActivityRange = (typeof activityRanges)[number];
const activityHours: Readonly<Record<ActivityRange, number>> = { day: 24, week: 168, fortnight: 336 };

export function useLoginFigures() {
  return useQuery({
    queryKey: ['login-logs', 'figures'],
    async queryFn({ signal }) {
      const now = Date.now();
      const { data } = await client.countLoginLogs({ query: { from: figuresFrom(now) }, signal });
      return sumLogins(data.hours, now);
    },
    refetchInterval: minute,
  });
}

export function useActivity(range: Ref<ActivityRange>) {
  return useQuery({
    queryKey: computed(() => ['login-logs', 'activity', range.value]),
    async queryFn({ signal }) {
      // Includes the current hour.
      const from = new Date(Date.now() - (activityHours[range.value] - 1) * hour).toISOString();
      return (await client.countLoginLogs({ query: { from }, signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: minute,
  });
}

export function useTopFailures() {
  return useQuery({
    queryKey: ['login-logs', 'top'],
    queryFn: async ({ signal }) => (await client.topLoginFailures({ signal })).data,
    refetchInterval: minute,
  });
}

export function useNewestSessions() {
  return useQuery({
    queryKey: ['sessions', 'newest'],
    queryFn: async ({ signal }) => (await client.listSessions({ query: { limit: 100 }, signal })).data,
    refetchInterval: minute,
  });
}

export function useInstances() {
  return useQuery({
    queryKey: ['instances', 'overview'],
    queryFn: async ({ signal }) => (await client.listInstances({ query: { limit: 100 }, signal })).data,
    refetchInterval: instanceMilliseconds,
  });
}

/**
 * What can need attention, as far as the caller has permission. It does not query every user,
 * because there can be millions.
 */
export function useAttention() {
  const requests = useQuery({
    queryKey: ['access-requests', 'attention'],
    queryFn: async ({ signal }) => (await client.listAccessRequests({ query: { limit: 100 }, signal })).data,
    enabled: computed(() => may('GET', '/api/v1/access-requests')),
    refetchInterval: minute,
  });
  const report = useQuery({
    queryKey: ['routes', 'report', 'attention'],
    queryFn: async ({ signal }) =>
      (await client.reportRoutes({ query: { limit: listedRoutes }, signal })).data,
    enabled: computed(() => may('GET', '/api/v1/routes/report')),
    staleTime: minute,
  });
  const users = useQuery({
    queryKey: ['users', 'attention'],
    queryFn: ({ signal }) =>
      readAll(
        async (after) =>
          (await client.listUsers({ query: { enabled: true, after, limit: 100 }, signal })).data,
        pagesOfUsers,
      ),
    enabled: computed(() => may('GET', '/api/v1/users')),
    staleTime: minute,
  });
  const keys = useQuery({
    queryKey: ['keys', 'attention'],
    queryFn: async ({ signal }) => (await client.listKeys({ query: { limit: 100 }, signal })).data.items,
    enabled: computed(() => may('GET', '/api/v1/keys')),
    staleTime: minute,
  });
  const all = [requests, report, users, keys];
  return {
    facts: computed(() => ({
      ...(requests.data.value && { requests: requests.data.value }),
      ...(report.data.value && { report: report.data.value }),
      ...(users.data.value && { users: users.data.value }),
      ...(keys.data.value && { keys: keys.data.value }),
    })),
    error: computed(() => all.map(({ error }) => error.value).find((error) => error !== null) ?? null),
    isPending: computed(() => all.some(({ isLoading }) => isLoading.value)),
    refetch: () => all.filter(({ error }) => error.value !== null).map((query) => query.refetch()),
  };
}
