// Part of the composition root: sign-in providers (OpenID Connect, OAuth 2 and LDAP).
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { Logger } from 'pino';
import { createConcurrencyLimit } from '../base/limit/concurrency-limit.ts';
import { anyAddress } from '../base/outbound/allowed-addresses.ts';
import { createConnect } from '../base/outbound/checked-connection.ts';
import { createHostResolver } from '../base/outbound/host-resolver.ts';
import { createSealedSecrets } from '../base/secrets/sealed-secrets.ts';
import type { Config } from '../base/settings/config.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import type { Store } from '../cluster/store/store.ts';
import type { RecordChange } from '../logs/audit/record-change.ts';
import type { CanManageCheck } from '../people/roles/can-manage/can-manage-check.ts';
import type { LoginRedirect } from '../sign-in/login/login-options.ts';
import { createLoginConcurrencyLimit } from '../sign-in/login/throttle/login-concurrency-limit.ts';
import {
  createApplyGroupMapping,
  createFindRoleAndDepartment,
} from '../sign-in/providers/groups/apply-group-mapping.ts';
import { createFindGroupsFault } from '../sign-in/providers/groups/find-groups-fault.ts';
import { createMappingChanges } from '../sign-in/providers/groups/mapping-changes.ts';
import { createDirectories } from '../sign-in/providers/ldap/directories.ts';
import { createLdapKind } from '../sign-in/providers/ldap/ldap-kind.ts';
import { createLdapLogin } from '../sign-in/providers/ldap/ldap-login.ts';
import { createRecheck } from '../sign-in/providers/ldap/recheck.ts';
import { createLinkChanges } from '../sign-in/providers/link-changes.ts';
import { createLinkFlow } from '../sign-in/providers/link-flow.ts';
import { createOAuthKind } from '../sign-in/providers/oauth/oauth-kind.ts';
import { createOidcClients } from '../sign-in/providers/oidc/oidc-client.ts';
import { createOidcKind } from '../sign-in/providers/oidc/oidc-kind.ts';
import { createProviderChanges } from '../sign-in/providers/provider-changes.ts';
import { createProviderFetch } from '../sign-in/providers/provider-fetch.ts';
import type { ProviderKind } from '../sign-in/providers/provider-kind.ts';
import { createProviderLogout } from '../sign-in/providers/provider-logout.ts';
import { createProviderMethod } from '../sign-in/providers/provider-method.ts';
import { findProvider, listProviders } from '../sign-in/providers/provider-store.ts';
import { createProvisionUser } from '../sign-in/providers/provision-user.ts';
import { createRedirectFlow } from '../sign-in/providers/redirect-flow.ts';

interface ProviderOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofEverybody'>;
  /** Whether one role is allowed to make every call that the other one is. */
  readonly mayDoAll: (roleId: number, otherId: number) => Promise<boolean>;
  readonly config: Config;
  /** The process log; missing where there are no logins. */
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  readonly now: () => number;
}

/** The concurrency limit of a provider on one instance. No request waits for it longer than three seconds. */
const placesOfProvider = 32;
/**
 * The concurrency limit of directory logins, including those that wait for an attempt with the same name: each polls Postgres
 * several times a second.
 */
const slotsOfDirectories = 128;

/** The most people in one line of the process log. */
const mostNamed = 100;

export type ProviderParts = ReturnType<typeof composeProviders>;

export function composeProviders({ config, logger, mayDoAll, ...options }: ProviderOptions) {
  const { store, now } = options;
  const secrets = createSealedSecrets('provider', config.sealingKeys);
  const report = (provider: string, err: unknown) =>
    logger?.warn({ err, provider }, 'a provider was not believed, or did not answer');
  const resolve = createHostResolver();
  const fetch = createProviderFetch({
    allowedNetworks: config.provider.allowedNetworks,
    resolve,
    authorities: authoritiesOf(config.provider.caFile),
  });
  const directories = createDirectories({
    secrets,
    now,
    connect: createConnect({ addresses: anyAddress, resolve }),
    reportUnavailable: (provider, { reason, cause: err }) =>
      logger?.warn({ provider, reason, err }, 'a directory is unavailable: logins by it fail'),
    reportLimits: (provider, people) => {
      const named = people.slice(0, mostNamed).map(({ dn, groups }) => ({ dn, reason: groups }));
      const text =
        'people of a directory are in more or deeper groups than are read: groups give them no role';
      logger?.warn({ provider, people: named, count: people.length }, text);
    },
  });
  const kinds: ProviderKind[] = [
    createOidcKind({ clients: createOidcClients({ fetch, now }), report }),
    createOAuthKind({ fetch, now, report }),
    createLdapKind({ directories, now }),
  ];
  const concurrencyLimit = createConcurrencyLimit(placesOfProvider);
  const providers = createProviderChanges({ ...options, secrets, kinds });
  const links = createLinkChanges({ ...options, randomBytes });
  const redirectFlow = createRedirectFlow({ store, secrets, kinds, concurrencyLimit });
  const provisionUser = createProvisionUser({
    ...options,
    links,
    findRoleAndDepartment: createFindRoleAndDepartment(options),
  });
  const applyGroupMapping = createApplyGroupMapping(options);
  const loginRedirect: LoginRedirect = {
    async run(key, work) {
      const { kind } = await redirectFlow.get(key);
      return await redirectFlow.run(key, () => work(kind));
    },
    findId: async (key) => (await redirectFlow.get(key)).id,
    authorizationUrl: async (key, handle) => {
      const { id } = await redirectFlow.get(key);
      return { url: await redirectFlow.authorizationUrl(id, handle, 'login') };
    },
  };
  return {
    providers,
    links,
    linkFlow: createLinkFlow({ store, redirectFlow, randomBytes }),
    redirectFlow: loginRedirect,
    endAtProvider: createProviderLogout({
      store,
      access: options.access,
      secrets,
      kinds,
      concurrencyLimit,
      report,
    }),
    methods: [
      createProviderMethod({
        store,
        redirectFlow,
        provisionUser,
        applyGroupMapping,
        findGroupsFault: createFindGroupsFault(store, report),
      }),
    ],
    directory: {
      ...createLdapLogin({ store, directories, concurrencyLimit, provisionUser, applyGroupMapping }),
      slots: createLoginConcurrencyLimit(slotsOfDirectories),
    },
    recheck: createRecheck({ ...options, directories }),
    mappings: createMappingChanges({ ...options, directories, mayDoAll }),
    /** The providers that a page shows a button for. */
    async listButtons() {
      const goTo = kinds
        .filter(({ authorizationUrl }) => authorizationUrl !== undefined)
        .map(({ kind }) => kind);
      const all = await listProviders(store);
      return all
        .filter(({ enabled, kind }) => enabled && goTo.includes(kind))
        .map(({ key, kind, name }) => ({ key, kind, name }));
    },
    findLifetime: async (id: number) => (await findProvider(store, { id }))?.lifetimeSeconds ?? undefined,
  };
}

function authoritiesOf(file: string): string[] | undefined {
  return file === '' ? undefined : [...rootCertificates, readFileSync(file, 'utf8')];
}
