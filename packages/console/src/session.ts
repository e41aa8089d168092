// The signed-in user and the permissions of their role, so that the console shows only what can work.
// The service alone decides.
import { computed, readonly, shallowRef } from 'vue';
import { client } from './client.ts';
import { forgetRefusals } from './refusals.ts';

type Me = Awaited<ReturnType<typeof client.getInfo>>['data'];

const current = shallowRef<Me>();
export const me = readonly(current);
export const isSignedIn = computed(() => current.value !== undefined);

/** Loads the signed-in user; rejects without a session. */
export async function loadMe(): Promise<void> {
  current.value = (await client.getInfo()).data;
}

export function forgetMe(): void {
  current.value = undefined;
  forgetRefusals();
}

/** Whether the role has a rule for a call, as far as the console can tell. */
export function may(method: string, path: string): boolean {
  const { permissions = [] } = current.value ?? {};
  return permissions.some((permission) => {
    if (permission === '*:*:*') return true;
    const [ruleMethod = '', rulePath = ''] = permission.split(' ');
    return (ruleMethod === '*' || ruleMethod === method) && covers(rulePath, path);
  });
}

function covers(rule: string, path: string): boolean {
  const [wanted, given] = [rule.split('/'), path.split('/')];
  const isWild = wanted.at(-1)?.startsWith('*') === true;
  if (isWild ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, place) => /^[:*]/.test(segment) || segment === given[place]);
}
