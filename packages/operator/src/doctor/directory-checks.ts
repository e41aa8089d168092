// Doctor checks on LDAP directories: they answer, and their certificates stay valid.
import type { LdapSettings } from '@portcullis/contract';
import { anyAddress } from '@portcullis/server/base/outbound/allowed-addresses.ts';
import { createConnect } from '@portcullis/server/base/outbound/checked-connection.ts';
import { createHostResolver } from '@portcullis/server/base/outbound/host-resolver.ts';
import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { createDirectories } from '@portcullis/server/sign-in/providers/ldap/directories.ts';
import { createLdapKind, renewal } from '@portcullis/server/sign-in/providers/ldap/ldap-kind.ts';
import { openProvider } from '@portcullis/server/sign-in/providers/provider-changes.ts';
import { listProviders, type StoredProvider } from '@portcullis/server/sign-in/providers/provider-store.ts';
import { type Check, type CheckInput, type Finding, skipped, warning, well, wrong } from './check.ts';

export const directoryChecks: readonly Check[] = [
  {
    id: 'directories',
    group: 'access',
    title: 'directories',
    needs: ['migrations'],
    run: checkDirectories,
  },
];

/** All findings on one line of the screen. */
export async function checkDirectories({
  store,
  sealingKeys,
}: Pick<CheckInput, 'store' | 'sealingKeys'>): Promise<Finding> {
  const [current, ...previous] = sealingKeys;
  if (current === undefined) return skipped('there is no master key');
  const all = (await listProviders(store)).filter(({ kind, enabled }) => kind === 'ldap' && enabled);
  if (all.length === 0) return well('none');
  const found = (await Promise.all(all.map((each) => checkDirectory(each, [current, ...previous])))).flat();
  if (found.length === 0) return well(`${all.length}, and each lets its reader in`);
  return {
    status: found.some(({ status }) => status === 'wrong') ? 'wrong' : 'warning',
    text: found.map(({ text }) => text).join('; '),
    remedies: found.flatMap(({ remedies }) => remedies),
  };
}

async function checkDirectory(
  provider: StoredProvider,
  keys: readonly [Buffer, ...Buffer[]],
): Promise<Finding[]> {
  const secrets = createSealedSecrets('provider', keys);
  const opened = openProvider(provider, secrets);
  const { key } = opened;
  if (opened.secret === undefined)
    return [
      wrong(
        `${key}: the password of its reader cannot be decrypted`,
        'Set the master key that encrypted it as `auth.previousMasterKey` and run `portcullis signing-keys reseal`, or set the secret of the provider again.',
      ),
    ];
  const now = Date.now;
  const directories = createDirectories({
    secrets,
    now,
    connect: createConnect({ addresses: anyAddress, resolve: createHostResolver() }),
    reportUnavailable: () => {},
    reportLimits: () => {},
  });
  const findings = await createLdapKind({ directories, now }).check(opened);
  const { url } = provider.settings as LdapSettings;
  return findings.flatMap(({ what, ok, text }) => {
    if (!ok) return [wrong(`${key}: ${what} at ${url}`, `Logins with it fail. ${text}`)];
    return text.includes(renewal) ? [warning(`${key}: its certificate ends soon`, text)] : [];
  });
}
