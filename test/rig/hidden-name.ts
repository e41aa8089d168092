// What stands in the login log for a name that no account was found for, under the master key of the suites.
import { createHmac } from 'node:crypto';
import { namesKey } from './master-key.ts';

export function hiddenName(name: string): string {
  const hash = createHmac('sha256', namesKey).update(name).digest('hex');
  return `[unknown:${name.length}:${hash.slice(0, 16)}]`;
}
