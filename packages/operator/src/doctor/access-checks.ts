// Doctor checks on access: an administrator can log in, administrators have chosen their own passwords, and the
// instances agree on their settings.

import { StartRefusal } from '@portcullis/server/base/values/start-refusal.ts';
import {
  lintAdministratorPasswords,
  publishedPasswordHashes,
} from '@portcullis/server/people/passwords/published-passwords.ts';
import { listAdministratorsWithHash } from '@portcullis/server/people/users/user-store.ts';
import { openSigningKey } from '@portcullis/server/sign-in/keys/key-ring.ts';
import {
  type Check,
  type CheckInput,
  type Finding,
  skipped,
  warning,
  well,
  wrong,
  wrongFor,
} from './check.ts';
import { type InstanceFacts, readAdministrators, readInstances, readKeys } from './doctor-store.ts';

const group = 'access';
const needs = ['migrations'];

export const accessChecks: readonly Check[] = [
  { id: 'signing-key', group, title: 'signing key', needs, run: checkSigningKey },
  { id: 'administrators', group, title: 'administrators', needs, run: checkAdministrators },
  { id: 'passwords', group, title: 'their passwords', needs, run: checkPasswords },
  {
    id: 'instances',
    group,
    title: 'instances',
    needs,
    run: async ({ store, version }) => checkInstances(await readInstances(store), version),
  },
];

async function checkSigningKey({ store, sealingKeys, config }: CheckInput): Promise<Finding> {
  const { kid, keys } = await readKeys(store, config.devKeys);
  if (kid === null)
    return keys === 0
      ? well('none yet; the first start creates one')
      : wrong('no signing key is active, so all logins fail', 'Restart an instance: it creates one.');
  const [current, ...previous] = sealingKeys;
  if (current === undefined) return skipped('there is no master key');
  try {
    await openSigningKey(store, [current, ...previous], kid);
  } catch (error) {
    if (error instanceof StartRefusal) return wrong(`${kid} cannot be decrypted`, error.reasons.join(' '));
    throw error;
  }
  const isResealed = await openSigningKey(store, [current], kid).then(
    () => true,
    () => false,
  );
  return isResealed
    ? well(`${kid}, opens with the master key`)
    : warning(
        `${kid} is encrypted with the previous master key`,
        'When every instance has both master keys, run `portcullis signing-keys reseal`.',
      );
}

async function checkAdministrators({ store }: CheckInput): Promise<Finding> {
  const { users, able } = await readAdministrators(store);
  if (users === 0) return well('none yet; the first start creates one');
  return able === 0
    ? wrong('none can log in', 'Run `portcullis user enable <name>` for one of them.')
    : well(`${able} can log in`);
}

async function checkPasswords({ store, config }: CheckInput): Promise<Finding> {
  const published = await listAdministratorsWithHash(store, publishedPasswordHashes);
  const found = wrongFor(lintAdministratorPasswords(published), 'a published password');
  if (found !== undefined) return found;
  const { users, due } = await readAdministrators(store);
  if (users === 0) return well('none yet');
  return due.length > 0 && config.firstPasswordDue
    ? warning(
        `initial or reset password in use: ${due.join(', ')}`,
        'Ask them to log in and choose a password: the administrator who set it knows it.',
      )
    : well('chosen by their owners');
}

export function checkInstances(instances: readonly InstanceFacts[], version: string): Finding {
  const live = instances.filter(({ isStale }) => !isStale);
  const modes = new Set(live.map(({ mode }) => mode));
  if (modes.size > 1)
    return wrong(
      `of several modes: ${[...modes].join(', ')}`,
      'Give all of them the same `application.mode`, and restart those that had another.',
    );
  const stale = instances.length - live.length;
  if (stale > 0)
    return warning(
      `${stale} of ${instances.length} stopped without leaving`,
      'The next change that takes something away waits a lease for it and removes it. If it should be running, read its log.',
    );
  const versions = new Set(live.map((one) => one.version));
  if (versions.size > 1)
    return warning(
      `of several versions: ${[...versions].join(', ')}`,
      'Finish the update: start all of them with one version.',
    );
  const [running = version] = versions;
  if (running !== version)
    return warning(
      `they are ${running}, this program is ${version}`,
      'Run `portcullis doctor` of their version, or finish the update.',
    );
  const behind = live.filter(({ isBehind }) => isBehind).length;
  if (behind > 0)
    return warning(
      `${behind} of ${live.length} are behind the last change`,
      'Look again in a second. If they stay behind, read their logs.',
    );
  return well(live.length === 0 ? 'none runs' : `${live.length}, of one version, mode and revision`);
}
