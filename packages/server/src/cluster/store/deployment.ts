// The id of the deployment: data outside the database names the database by it.
import type { Store } from './store.ts';

export async function findDeployment(store: Store): Promise<string> {
  const { id } = await store.selectFrom('deployment').select('id').executeTakeFirstOrThrow();
  return id;
}
