// What a role may do, as front ends ask for it. `*:*:*` is go-admin's word for everything.
import { routeName } from '@portcullis/contract';
import { listRules, type Snapshot } from '@portcullis/policy';

export function listPermissions(snapshot: Snapshot, roleKey: string): string[] {
  if (roleKey === 'admin') return ['*:*:*'];
  return listRules(snapshot, roleKey).map(routeName);
}
