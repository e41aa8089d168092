// Which database this is: what belongs to it elsewhere names it.
import type { Store } from './store.ts';

export async function findDeployment(store: Store): Promise<string> {
  const { id } = await store.selectFrom('deployment').select('id').executeTakeFirstOrThrow();
  return id;
}
