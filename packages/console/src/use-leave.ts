// Called after the user has ended their own session: opens the sign-in page with a note, without the warning about a
// session that ended unexpectedly.
import { useQueryClient } from '@tanstack/vue-query';
import { useRouter } from 'vue-router';
import { kindOf } from './calls/describe-error.ts';
import { client } from './client.ts';
import { forgetMe } from './session.ts';
import { showToast } from './ui/toasts.ts';

export function useLeave() {
  const router = useRouter();
  const queries = useQueryClient();

  async function leave(note: string): Promise<void> {
    client.tokenStore.set(undefined);
    forgetMe();
    queries.clear();
    showToast(note);
    await router.replace({ name: 'sign-in' });
  }

  /** For changes that can end the session: asks the service. Resolves to whether the session has ended. */
  async function leaveIfEnded(note: string): Promise<boolean> {
    const ended = await client.getInfo().then(
      () => false,
      (error: unknown) => kindOf(error) === 'signed_out',
    );
    if (ended) await leave(note);
    return ended;
  }

  return { leave, leaveIfEnded };
}
