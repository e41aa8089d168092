// Part of the composition root: how service accounts log in.
import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { createCaptchaStore } from '../login/captcha/captcha-store.ts';
import type { LoginMethod } from '../login/method.ts';
import { createKeyMethod } from '../service-accounts/key-method.ts';
import { createTextCaptcha } from '../service-accounts/text-captcha.ts';
import type { Store } from '../store/store.ts';

interface ServiceAccountOptions {
  readonly store: Store;
  readonly config: Config;
  readonly now: () => number;
}

/** None where there is no audience to make assertions for. */
export function composeKeyMethods({ store, config, now }: ServiceAccountOptions): LoginMethod[] {
  const { audience, tokenSeconds: tokenLifetimeSeconds } = config.machine;
  if (audience === '') return [];
  const captcha = createTextCaptcha({
    store: createCaptchaStore(store),
    key: config.masterKey.captcha,
    randomBytes,
  });
  return [createKeyMethod({ store, captcha, audience, tokenLifetimeSeconds, now })];
}
