// What several cards ask for: each call is made once, whoever shows its answer.
import { keepPreviousData, useQuery } from '@tanstack/vue-query';
import { computed, type Ref } from 'vue';
import { client } from '../../client.ts';
import { figuresFrom, sumLogins } from './sum-logins.ts';

const minute = 60_000;
const hour = 60 * minute;
const instanceMilliseconds = 5000;

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
      // The hour that runs is one of them.
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

export function useCoverage() {
  return useQuery({
    queryKey: ['routes', 'report', 'counts'],
    queryFn: async ({ signal }) => (await client.reportRoutes({ query: { limit: 1 }, signal })).data,
  });
}
