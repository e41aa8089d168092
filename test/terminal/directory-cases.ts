// Users, roles, sessions and keys.
import { expect } from './expect.ts';
import { asks, type Case, rowsOf, type Scene, see, simple } from './scene.ts';

async function kidOf({ world }: Scene, which: 'oldest' | 'newest'): Promise<string> {
  const order = which === 'oldest' ? 'asc' : 'desc';
  const [key] = await world.database.query<{ kid: string }>(
    `select kid from keys order by created_at ${order} limit 1`,
  );
  return key?.kid ?? '';
}

async function activate(scene: Scene): Promise<void> {
  await see(scene, `signing-keys activate ${await kidOf(scene, 'newest')}`, { sees: /signs from now on/ });
}

async function retire(scene: Scene): Promise<void> {
  await see(scene, `signing-keys retire ${await kidOf(scene, 'oldest')}`, { code: 1, sees: /token/ });
}

async function retireAtOnce(scene: Scene): Promise<void> {
  const kid = await kidOf(scene, 'oldest');
  const { run } = asks('signing-keys emergency-retire', `signing-keys emergency-retire ${kid}`, {
    question: /Retire .*\?/,
    sees: /Every instance/,
    unchanged: rowsOf('select * from keys order by kid'),
  });
  await run(scene);
}

async function givePassword(scene: Scene): Promise<void> {
  const { terminal } = scene;
  await terminal.start('portcullis user reset-password alice --password-file -');
  await terminal.type('Correct-Horse-7-Battery');
  await terminal.press('Enter');
  await terminal.press('C-d');
  const { code, text } = await terminal.ended();
  expect(code === 0, text);
}

async function disableProvider(scene: Scene): Promise<void> {
  await scene.world.database.query("update providers set enabled = true where key = 'sso'");
  const { run } = asks('provider disable', 'provider disable sso', {
    question: /Disable sso\?/,
    sees: /sso is disabled/,
    unchanged: rowsOf('select * from providers'),
  });
  await run(scene);
}

export const directoryCases: readonly Case[] = [
  simple('role create', 'creates', 'role create clerk --name Clerk', { sees: /clerk/ }),
  simple('role list', 'lists', 'role list', { sees: /admin[\s\S]*clerk/ }),
  simple('role show', 'shows', 'role show clerk', { sees: /Clerk/ }),
  simple('role data-scope', 'changes', 'role data-scope clerk 3', { sees: /clerk/ }),
  simple('role disable', 'disables', 'role disable clerk', { sees: /disabled/ }),
  simple('role enable', 'enables', 'role enable clerk', { sees: /enabled/ }),
  simple(
    'provider add',
    'adds',
    'provider add sso --public --issuer https://10.0.0.1 --client-id portcullis --redirect-uri https://admin.example.com/return',
    { sees: /not enabled yet/ },
  ),
  simple(
    'provider add-oauth',
    'adds one by its preset, and says that it was not tried',
    'provider add-oauth hub --public --preset github --client-id Iv1.2 --redirect-uri https://admin.example.com/hub',
    { sees: /not enabled yet[\s\S]*not tried/ },
  ),
  simple(
    'provider add-oauth',
    'refuses a preset without its tenant',
    'provider add-oauth fs --public --preset feishu --client-id cli_1 --redirect-uri https://admin.example.com/fs',
    { code: 1, sees: /need --tenant/ },
  ),
  simple(
    'provider add-oauth',
    'adds one with its tenant',
    'provider add-oauth fs --public --preset feishu --tenant t1 --client-id cli_1 --redirect-uri https://admin.example.com/fs',
    { sees: /Feishu is set from its public documents/ },
  ),
  simple('provider list', 'lists', 'provider list', { sees: /fs[\s\S]*hub[\s\S]*sso[\s\S]*disabled/ }),
  simple('provider check', 'says what is wrong', 'provider check sso', { code: 1, sees: /not public/ }),
  simple('provider enable', 'refuses what fails its check', 'provider enable sso', {
    code: 1,
    sees: /does not pass its check/,
  }),
  { command: 'provider disable', title: 'asks, and disables one that is enabled', run: disableProvider },
  simple('user create', 'creates', "user create alice --role clerk --department 'Head office'", {
    sees: /alice[\s\S]*shown once/,
  }),
  simple('user list', 'lists', 'user list', { sees: /admin[\s\S]*alice/ }),
  simple('user show', 'shows', 'user show alice', { sees: /clerk/ }),
  simple('user disable', 'disables, on the running instance too', 'user disable alice', {
    sees: /Every instance enforces it/,
  }),
  simple('user enable', 'enables', 'user enable alice', { sees: /alice/ }),
  simple('user role', 'changes the role', 'user role alice clerk', { sees: /alice/ }),
  simple('role required-factor', 'raises what is demanded', 'role required-factor clerk 2', {
    sees: /a second factor/,
  }),
  asks('user reset-factors', 'user reset-factors alice', {
    question: /Remove .*\?/,
    sees: /this code sets up a new one/,
    unchanged: rowsOf('select * from enrolment_codes'),
  }),
  { command: 'user reset-password', title: 'reads the password from standard input', run: givePassword },
  simple('sessions list', 'lists', 'sessions list', { sees: /admin/ }),
  simple('sessions end', 'ends those of a user', 'sessions end --user admin', { sees: /ended/ }),
  simple('signing-keys create', 'makes one that does not sign yet', 'signing-keys create', { sees: /key/ }),
  { command: 'signing-keys activate', title: 'makes the key sign', run: activate },
  simple('signing-keys list', 'lists both', 'signing-keys list', { sees: /\n.*\n/ }),
  { command: 'signing-keys retire', title: 'is refused while tokens of it live', run: retire },
  {
    command: 'signing-keys emergency-retire',
    title: 'asks; Ctrl-C changes nothing; yes does it',
    run: retireAtOnce,
  },
  simple('signing-keys reseal', 'reseals', 'signing-keys reseal', { sees: /./ }),
];

export const removalCases: readonly Case[] = [
  asks('user delete', 'user delete alice', {
    question: /Delete the user alice/,
    sees: /alice/,
    unchanged: rowsOf('select username, deleted_at from users order by id'),
  }),
  simple('user create', 'creates another', "user create bob --role clerk --department 'Head office'", {
    sees: /bob/,
  }),
  simple('user export', 'prints what is stored', 'user export bob', { sees: /"username":"bob"/ }),
  asks('user erase', 'user erase bob', {
    question: /Erase bob permanently/,
    sees: /is erased[\s\S]*Keep the receipt/,
    unchanged: rowsOf('select username, deleted_at from users order by id'),
  }),
  simple('user erased', 'prints the receipts', 'user erased', { sees: /"reference"/ }),
  simple('role create', 'creates one without holders', 'role create guest', { sees: /guest/ }),
  asks('role delete', 'role delete guest', {
    question: /Delete the role guest/,
    sees: /guest/,
    unchanged: rowsOf('select role_key from roles order by id'),
  }),
];
