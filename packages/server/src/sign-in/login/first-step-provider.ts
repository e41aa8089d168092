// What a provider vouched for in the first step holds for all that follows on it: the session of the last one, and what is set
// up on the way in.
import type { LoginFlowRow } from './login-flow-store.ts';
import type { SessionProvider } from './method.ts';

export function firstStepProvider(attempt: LoginFlowRow | undefined): SessionProvider | undefined {
  if (!attempt || attempt.providerId === null || attempt.providerEpoch === null || attempt.linkId === null)
    return undefined;
  const { providerId, providerEpoch: epoch, providerSession, linkId, beganAt } = attempt;
  return { providerId, epoch, session: providerSession ?? undefined, linkId, beganAt };
}
