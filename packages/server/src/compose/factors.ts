// Part of the composition root: second factors and passkeys (MFA).
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createSealedSecrets } from '../base/secrets/sealed-secrets.ts';
import type { Config } from '../base/settings/config.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import type { Store } from '../cluster/store/store.ts';
import type { RecordChange } from '../logs/audit/record-change.ts';
import { createFactorChanges } from '../sign-in/mfa/factor-changes.ts';
import { createNextSteps } from '../sign-in/mfa/next-steps.ts';
import { createPasskeyChanges } from '../sign-in/mfa/passkey/passkey-changes.ts';
import { createPasskeyMethod } from '../sign-in/mfa/passkey/passkey-method.ts';
import { createWebAuthn } from '../sign-in/mfa/passkey/web-authn.ts';
import { createRecoveryMethod } from '../sign-in/mfa/recovery/recovery-method.ts';
import { createTotpMethod } from '../sign-in/mfa/totp/totp-method.ts';

interface FactorOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly config: Config;
  /** The process log; missing where there are no logins. */
  readonly logger?: Pick<Logger, 'error'> | undefined;
  readonly now: () => number;
}

const closedSecret =
  'the secret of an authenticator app does not open with the master key, and every code of it is refused. Set the master key that sealed it as `auth.previousMasterKey` and run `portcullis signing-keys reseal`, or take the factor away: `portcullis user reset-factors`';

export type FactorParts = ReturnType<typeof composeFactors>;

export function composeFactors({ config, logger, ...options }: FactorOptions) {
  const { store, now } = options;
  const secrets = createSealedSecrets('totp', config.sealingKeys, (userId) =>
    logger?.error({ userId }, closedSecret),
  );
  const { totpIssuer: issuer, passkeyDomain: domain, passkeyOrigins: origins } = config.mfa;
  const changes = createFactorChanges({ ...options, secrets, issuer, randomBytes });
  const webAuthn = createWebAuthn({ domain, origins });
  const passkeys =
    domain === '' ? undefined : createPasskeyChanges({ ...options, webAuthn, domain, issuer, randomBytes });
  return {
    changes,
    passkeys,
    next: createNextSteps({ store, changes, passkeys }),
    methods: [
      createTotpMethod({ store, secrets, changes, now }),
      createRecoveryMethod(store),
      ...(passkeys === undefined
        ? []
        : [createPasskeyMethod({ store, webAuthn, changes: passkeys, domain })]),
    ],
  };
}
