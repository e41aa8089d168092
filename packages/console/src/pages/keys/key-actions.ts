// The actions that a key's state allows. A signing key can only be retired in an emergency, because valid
// tokens can be signed with it.
import type { client } from '../../client.ts';

export type Key = Awaited<ReturnType<typeof client.listKeys>>['data']['items'][number];
export type KeyState = Key['state'];
export const keyActions = ['activate', 'retire', 'emergency'] as const;
export type KeyAction = (typeof keyActions)[number];

const actionsByState = {
  standby: ['activate', 'retire'],
  signing: ['emergency'],
  verifying: ['activate', 'retire', 'emergency'],
  retired: [],
} as const satisfies Record<KeyState, readonly KeyAction[]>;

export function actionsOf(state: KeyState): readonly KeyAction[] {
  return actionsByState[state];
}
