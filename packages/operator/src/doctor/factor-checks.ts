// Doctor checks on second factors: the stored secrets can be decrypted, and users have the factor
// that their role requires.
import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { type Check, type CheckInput, type Finding, skipped, warning, well, wrong } from './check.ts';
import { countUsersWithout, listRolesDemanding, readSealedSecrets } from './doctor-store.ts';

export const factorChecks: readonly Check[] = [
  {
    id: 'second-factors',
    group: 'access',
    title: 'second factors',
    needs: ['migrations'],
    run: checkFactors,
  },
];

/** All findings on one line of the screen. */
async function checkFactors(input: CheckInput): Promise<Finding> {
  const [current, ...previous] = input.sealingKeys;
  if (current === undefined) return skipped('there is no master key');
  const apps = await readApps(input, [current, ...previous]);
  const found = [...lintApps(apps), ...(await lintPasskeys(input)), ...(await lintPeople(input))];
  if (found.length === 0) return well(`authenticator apps: ${apps.count}, open with the master key`);
  return {
    status: found.some(({ status }) => status === 'wrong') ? 'wrong' : 'warning',
    text: found.map(({ text }) => text).join('; '),
    remedies: found.flatMap(({ remedies }) => remedies),
  };
}

interface Apps {
  readonly count: number;
  /** Users whose secret no key decrypts. */
  readonly closed: readonly string[];
  /** The number of secrets that only the previous master key decrypts. */
  readonly old: number;
}

async function readApps({ store }: CheckInput, keys: readonly [Buffer, ...Buffer[]]): Promise<Apps> {
  const [all, own] = [createSealedSecrets('totp', keys), createSealedSecrets('totp', [keys[0]])];
  const closed: string[] = [];
  let [count, old] = [0, 0];
  for await (const { userId, username, sealed } of readSealedSecrets(store)) {
    count += 1;
    if (all.open(userId, sealed) === undefined) closed.push(username);
    else if (own.open(userId, sealed) === undefined) old += 1;
  }
  return { count, closed, old };
}

function lintApps({ count, closed, old }: Apps): Finding[] {
  if (closed.length > 0)
    return [
      wrong(
        `${closed.length} of ${count} authenticator apps cannot be decrypted: ${nameSome(closed)}`,
        'Their codes are refused. Set the master key that encrypted them as `auth.previousMasterKey` and run `portcullis signing-keys reseal`; where that key is lost, run `portcullis user reset-factors <name>` for each. If the key was never changed, somebody wrote to the database.',
      ),
    ];
  return old === 0
    ? []
    : [
        warning(
          `${old} of ${count} authenticator apps are encrypted with the previous master key`,
          'When every instance has both master keys, run `portcullis signing-keys reseal`.',
        ),
      ];
}

async function lintPasskeys({ store, config }: CheckInput): Promise<Finding[]> {
  const roles = config.mfa.passkeyDomain === '' ? await listRolesDemanding(store, 3) : [];
  return roles.length === 0
    ? []
    : [
        wrong(
          `passkeys are off, and required by ${nameSome(roles)}`,
          'Users of these roles cannot log in. Set `mfa.passkeyDomain` (MFA_PASSKEY_DOMAIN) to the domain of their passkeys, or run `portcullis role required-factor <role> 2`.',
        ),
      ];
}

async function lintPeople({ store }: CheckInput): Promise<Finding[]> {
  const without = await countUsersWithout(store);
  return without === 0
    ? []
    : [
        warning(
          `required of ${without} who have none yet`,
          'Each of them sets one up at the next login. An attacker who learns the password earlier can do so too. Disable accounts that are no longer used.',
        ),
      ];
}

const named = 5;

function nameSome(names: readonly string[]): string {
  const others = names.length - named;
  return `${names.slice(0, named).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
