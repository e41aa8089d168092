// Routes of the cluster: the list of instances, for operators.
import { defaultPageLimit, listInstancesEndpoint, type Route, route } from '@portcullis/contract';
import { listInstances } from './instance-list-store.ts';
import { readCurrentRevision } from './revision-store.ts';
import type { Store } from './store/store.ts';

export function clusterRoutes({ store }: { readonly store: Store }): Route[] {
  return [
    route(listInstancesEndpoint, async ({ query: { after, limit = defaultPageLimit } }) => {
      const page = await listInstances(store, { after, limit });
      // Read last, so that no instance is shown ahead of the database.
      const { n: revision } = await readCurrentRevision(store);
      return { data: { revision, ...page } };
    }),
  ];
}
