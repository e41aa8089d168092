// The provider that verified the first step of a login flow. Its proof also counts for the later steps: the session is stored
// with it, and a factor that is enrolled during the login depends on it.
import type { LoginFlowRow } from './login-flow-store.ts';
import type { SessionProvider } from './method.ts';

export function firstStepProvider(flow: LoginFlowRow | undefined): SessionProvider | undefined {
  if (!flow || flow.providerId === null || flow.providerEpoch === null || flow.linkId === null)
    return undefined;
  const { providerId, providerEpoch: epoch, providerSession, linkId, beganAt } = flow;
  return { providerId, epoch, session: providerSession ?? undefined, linkId, beganAt };
}
