// Part of the composition root: what people log in with beside a password.
import { randomBytes } from 'node:crypto';
import type { RecordChange } from '../audit/record-change.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import type { Config } from '../config.ts';
import { createFactorChanges } from '../factors/factor-changes.ts';
import { createNextSteps } from '../factors/next-steps.ts';
import { createRecoveryMethod } from '../factors/recovery/recovery-method.ts';
import { createTotpSecrets } from '../factors/totp/secrets.ts';
import { createTotpMethod } from '../factors/totp/totp-method.ts';
import type { Store } from '../store/store.ts';

interface FactorOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly config: Config;
  readonly now: () => number;
}

export type FactorParts = ReturnType<typeof composeFactors>;

export function composeFactors({ config, ...options }: FactorOptions) {
  const { store, now } = options;
  const secrets = createTotpSecrets(config.sealingKeys);
  const { issuer } = config.factor;
  const changes = createFactorChanges({ ...options, secrets, issuer, randomBytes });
  return {
    changes,
    next: createNextSteps(store, changes),
    methods: [createTotpMethod({ store, secrets, changes, now }), createRecoveryMethod(store)],
  };
}
