// Places of the schema that stand behind checks of the service: where an attack meets both, both are planted.
import type { Place } from './weakness.ts';

const migrations = 'packages/server/src/cluster/store/migrations';

/** A session proves too little, or by a credential that does not count. */
export const withoutSessionGuard: Place = {
  file: `${migrations}/0022-factors.sql`,
  before: 'create trigger sessions_guard before insert on sessions for each row execute',
  after: 'create trigger sessions_guard before insert on sessions for each row when (false) execute',
};

/** A session by a provider that does not stand for it. */
export const withoutProviderGuard: Place = {
  file: `${migrations}/0028-providers.sql`,
  before: `create trigger sessions_provider_guard before insert on sessions
  for each row when (new.provider_id is not null or new.link_id is not null)`,
  after: 'create trigger sessions_provider_guard before insert on sessions for each row when (false)',
};

/** Two accounts are linked to one person at a provider. */
export const withoutLinkIndex: Place = {
  file: `${migrations}/0028-providers.sql`,
  before: 'create unique index credentials_link on',
  after: 'create index credentials_link on',
};

/** One account is linked to two people at a provider. */
export const withoutOneLinkIndex: Place = {
  file: `${migrations}/0028-providers.sql`,
  before: 'create unique index credentials_one_link on',
  after: 'create index credentials_one_link on',
};
