// Doctor checks on LDAP directories: they answer, and their certificates stay valid.
import type { LdapSettings } from '@portcullis/contract';
import { createDirectories } from '@portcullis/server/sign-in/providers/ldap/directories.ts';
import { createLdapKind, renewal } from '@portcullis/server/sign-in/providers/ldap/ldap-kind.ts';
import { createProviderSecrets } from '@portcullis/server/sign-in/providers/provider-secrets.ts';
import { listProviders, type StoredProvider } from '@portcullis/server/sign-in/providers/provider-store.ts';
import { type Check, type CheckInput, type Finding, skipped, warning, well, wrong } from './check.ts';

export const directoryChecks: readonly Check[] = [
  {
    id: 'directories',
    group: 'access',
    title: 'directories',
    needs: ['migrations'],
    look: lookAtDirectories,
  },
];

/** All findings on one line of the screen. */
export async function lookAtDirectories({
  store,
  sealingKeys,
}: Pick<CheckInput, 'store' | 'sealingKeys'>): Promise<Finding> {
  const [current, ...previous] = sealingKeys;
  if (current === undefined) return skipped('there is no master key');
  const all = (await listProviders(store)).filter(({ kind, enabled }) => kind === 'ldap' && enabled);
  if (all.length === 0) return well('none');
  const found = (await Promise.all(all.map((each) => lookAt(each, [current, ...previous])))).flat();
  if (found.length === 0) return well(`${all.length}, and each lets its reader in`);
  return {
    status: found.some(({ status }) => status === 'wrong') ? 'wrong' : 'warning',
    text: found.map(({ text }) => text).join('; '),
    remedies: found.flatMap(({ remedies }) => remedies),
  };
}

async function lookAt(provider: StoredProvider, keys: readonly [Buffer, ...Buffer[]]): Promise<Finding[]> {
  const secrets = createProviderSecrets(keys);
  const { key, sealedSecret: _sealed, ...shown } = provider;
  const secret = secrets.open(provider);
  if (secret === undefined)
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
    monotonic: () => performance.now(),
    reportUnavailable: () => {},
    reportLimits: () => {},
  });
  const findings = await createLdapKind({ directories, now }).check({ ...shown, key, secret });
  const { url } = provider.settings as LdapSettings;
  return findings.flatMap(({ what, ok, text }) => {
    if (!ok) return [wrong(`${key}: ${what} at ${url}`, `Logins with it fail. ${text}`)];
    return text.includes(renewal) ? [warning(`${key}: its certificate ends soon`, text)] : [];
  });
}
