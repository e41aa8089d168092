// Part of the composition root: the login of service accounts, by key.
import { randomBytes } from 'node:crypto';
import type { Config } from '../base/settings/config.ts';
import type { Store } from '../cluster/store/store.ts';
import { createCaptchaStore } from '../sign-in/login/captcha/captcha-store.ts';
import type { LoginMethod } from '../sign-in/login/method.ts';
import { createKeyMethod } from '../sign-in/service-accounts/key-method.ts';
import { createTextCaptcha } from '../sign-in/service-accounts/text-captcha.ts';

interface ServiceAccountOptions {
  readonly store: Store;
  readonly config: Config;
  readonly now: () => number;
}

/** Empty without an audience for assertions. */
export function composeKeyMethods({ store, config, now }: ServiceAccountOptions): LoginMethod[] {
  const { audience, tokenLifetimeSeconds } = config.serviceAccount;
  if (audience === '') return [];
  const captcha = createTextCaptcha({
    store: createCaptchaStore(store),
    key: config.masterKey.captcha,
    randomBytes,
  });
  return [createKeyMethod({ store, captcha, audience, tokenLifetimeSeconds, now })];
}
