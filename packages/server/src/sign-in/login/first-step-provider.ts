// The provider that verified the first step of a login flow. Its proof also counts for the later steps: the session is stored
// with it, and a factor that is enrolled during the login depends on it.
import type { LoginFlowRow } from './login-flow-store.ts';
import type { SessionProvider } from './method.ts';

export function firstStepProvider(attempt: LoginFlowRow | undefined): SessionProvider | undefined {
  if (!attempt || attempt.providerId === null || attempt.providerEpoch === null || attempt.linkId === null)
    return undefined;
  const { providerId, providerEpoch: epoch, providerSession, linkId, beganAt } = attempt;
  return { providerId, epoch, session: providerSession ?? undefined, linkId, beganAt };
}
