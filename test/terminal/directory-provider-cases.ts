// The company's directory, on a real slapd: groups that become roles as it was shown, and a look at who is still there.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDirectoryProvider, knownEntry } from '../rig/directory-provider.ts';
import { directoryPassword, dnOf, groupDn, groupEntry, type Slapd, startSlapd } from '../rig/slapd.ts';
import { expect } from './expect.ts';
import { asks, type Case, rowsOf, type Scene, see, seeEnd, simple } from './scene.ts';

/** Alice is in it, and is the only linked person. Afterwards no person logs in by it. */
async function withDirectory(
  { world }: Scene,
  key: string,
  run: (slapd: Slapd) => Promise<void>,
): Promise<void> {
  const slapd = await startSlapd({ entries: ['alice', 'other'].map((uid) => knownEntry(uid)) });
  try {
    await slapd.add(groupEntry('clerks', [dnOf('alice')]));
    const id = await addDirectoryProvider(world.database, slapd, {
      key,
      name: 'Directory',
      linked: ['alice'],
    });
    await run(slapd);
    await world.database.query('update credentials set ended_at = now() where provider_id = $1', [id]);
    await world.database.query('update providers set enabled = false where id = $1', [id]);
  } finally {
    await slapd.stop();
  }
}

async function writeMapping({ world }: Scene, role: string): Promise<string> {
  const file = join(world.folder, `to-${role}.json`);
  const mapping = { group: groupDn('clerks'), role, department: 'Head office' };
  await writeFile(file, JSON.stringify({ roleSource: 'every_login', mappings: [mapping] }));
  return file;
}

async function setMappings(scene: Scene): Promise<void> {
  await withDirectory(scene, 'company', async (slapd) => {
    await see(scene, 'role create trainee', { sees: /trainee is created/ });
    await see(scene, 'provider mappings company', {
      sees: /Roles are assigned in this service; groups do not change them\.\s+There are no mappings\./,
    });
    const file = await writeMapping(scene, 'trainee');
    const set = `provider mappings company --file ${file}`;
    await see(scene, `${set} --dry-run`, {
      sees: /changes +alice +clerk, Head office +trainee, Head office\s+1 of 1 linked person changes: 1 changes otherwise\.\s+Nothing was changed\./,
    });
    const { run } = asks('provider mappings', set, {
      question: /Apply this\?/,
      sees: /company has these mappings\. Every instance enforces it/,
      unchanged: rowsOf('select * from provider_mappings'),
    });
    await run(scene);
    await see(scene, 'provider mappings company', {
      sees: /Groups decide at every login.*\s+Group +Role +Department\s+1 +cn=clerks\S+ +trainee +Head office/,
    });
    await refuseOther(scene, slapd);
  });
}

/** A person is removed from the group while the question is open, and between a dry run and its plan. */
async function refuseOther(scene: Scene, slapd: Slapd): Promise<void> {
  const { terminal } = scene;
  const set = `provider mappings company --file ${await writeMapping(scene, 'clerk')}`;
  const changed = /Nothing was changed: the directory, the accounts or the mappings are others/;
  await terminal.start(`portcullis ${set}`);
  await terminal.waitFor(/Apply this\?/);
  await slapd.replace(groupDn('clerks'), 'member', [dnOf('other')]);
  await terminal.type('y');
  await seeEnd(terminal, { code: 1, sees: changed });
  const shown = await see(scene, `${set} --dry-run`, {
    sees: /locked out +alice +trainee, Head office +in no group that gives a role/,
  });
  const [, digest = ''] = /--plan ([0-9a-f]{64})/.exec(shown) ?? [];
  await slapd.replace(groupDn('clerks'), 'member', [dnOf('alice')]);
  await see(scene, `${set} --plan ${digest}`, { code: 1, sees: changed });
  const roles = await rowsOf(
    "select role_key from users join roles on roles.id = role_id where username = 'alice'",
  )(scene);
  expect(JSON.stringify(roles) === '[{"role_key":"trainee"}]', `alice has ${JSON.stringify(roles)}`);
}

async function recheck(scene: Scene): Promise<void> {
  await withDirectory(scene, 'leavers', async (slapd) => {
    await scene.world.logIn('alice', directoryPassword);
    await see(scene, 'provider recheck leavers', {
      sees: /Looked for 1 person with a session\.\s+Gone +0\s+Disabled +0\s+In no mapped group +0\s+Other role +0/,
    });
    await slapd.remove(dnOf('alice'));
    await see(scene, 'provider recheck leavers', {
      sees: /Looked for 1 person with a session\.\s+Gone +1\s[\s\S]*Every instance enforces it/,
    });
    const file = await writeMapping(scene, 'clerk');
    slapd.freeze();
    await see(scene, `provider mappings leavers --file ${file}`, {
      code: 69,
      sees: /Nothing was changed: leavers does not answer\./,
    }).finally(slapd.thaw);
  });
}

export const directoryProviderCases: readonly Case[] = [
  {
    command: 'provider mappings',
    title: 'shows the plan, asks, and applies only what it showed',
    run: setMappings,
  },
  simple('provider recheck', 'says what is no directory', 'provider recheck sso', {
    code: 1,
    sees: /sso is not a directory, or is not enabled/,
  }),
  { command: 'provider recheck', title: 'counts people who left', run: recheck },
];
