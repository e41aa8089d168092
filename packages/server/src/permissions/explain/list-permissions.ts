// Lists the permissions of a role for front ends. `*:*:*` is go-admin's notation for all permissions.
import { routeName } from '@portcullis/contract';
import { listRules, type Snapshot } from '@portcullis/policy';

export function listPermissions(snapshot: Snapshot, roleKey: string): string[] {
  if (roleKey === 'admin') return ['*:*:*'];
  return listRules(snapshot, roleKey).map(routeName);
}
