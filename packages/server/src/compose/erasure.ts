// Part of the composition root: the erasure of people, for the endpoint, for the job of every instance and for the command line.
import type { Config } from '../base/settings/config.ts';
import type { Store } from '../cluster/store/store.ts';
import { createPseudonymize } from '../logs/login-log/pseudonym.ts';
import { createErasureWork, type ErasureWork } from '../people/erasure/erasure-work.ts';
import { createNameSpellings } from '../people/erasure/name-spellings.ts';
import type { LoginParts } from './login.ts';

interface ErasureParts {
  readonly store: Store;
  readonly config: Pick<Config, 'chainKeys' | 'nameKeys'>;
  readonly login: Pick<LoginParts, 'throttle'>;
}

export function composeErasure({ store, config, login }: ErasureParts): ErasureWork {
  return createErasureWork({
    store,
    keys: config.chainKeys,
    namesOf: nameSpellingsOf(config),
    forgiveGuesses: login.throttle.forgive,
  });
}

export function nameSpellingsOf({ nameKeys }: Pick<Config, 'nameKeys'>): (username: string) => string[] {
  return createNameSpellings(nameKeys.map(createPseudonymize));
}
