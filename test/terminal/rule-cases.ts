// Rules: one by one, and 20,000 at once.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from './expect.ts';
import { asks, type Case, hold, type Scene, see, seeEnd, simple } from './scene.ts';

const roles = 20;
const rulesOfRole = 1000;

async function countByRole({ world }: Scene): Promise<number[]> {
  const rows = await world.database.query<{ n: number }>(
    `select count(rules)::int as n from roles left join rules on role_id = id
     where role_key like 'bulk%' group by roles.id order by roles.id`,
  );
  return rows.map(({ n }) => n);
}

async function importMany(scene: Scene): Promise<void> {
  const { terminal, world } = scene;
  await world.database.query(
    `insert into roles (role_key, name, data_scope) select 'bulk-' || n, 'Bulk', '5' from generate_series(1, ${roles}) n`,
  );
  const lines = Array.from({ length: roles * rulesOfRole }, (_, index) => {
    const role = `bulk-${1 + Math.floor(index / rulesOfRole)}`;
    return `p, ${role}, /api/v1/items/${index}, GET\n`;
  });
  const file = join(world.folder, 'many.csv');
  await writeFile(file, lines.join(''));

  // However fast it is, the last role but one waits until Ctrl-C has been seen.
  const free = await hold(scene, "select from roles where role_key = 'bulk-19' for update");
  await terminal.start(`portcullis rules import ${file}`);
  await terminal.waitFor(/[\d,]+ of 20,000 rules \.\.\./);
  await terminal.press('C-c');
  await terminal.waitFor(/Stopping after this role\./);
  await free();
  await seeEnd(terminal, { code: 130, sees: /Stopped after \d+ of 20 roles/ });
  const counts = await countByRole(scene);
  const isWhole = counts.every((count) => count === 0 || count === rulesOfRole);
  const sum = counts.reduce((total, count) => total + count, 0);
  expect(isWhole && sum > 0 && sum < lines.length, `roles were left with ${counts.join(', ')} rules`);

  await see(scene, `rules import ${file}`, { sees: /^Added [\d,]+ rules and removed 0, in \d+ roles?\./m });
  expect(
    (await countByRole(scene)).every((count) => count === rulesOfRole),
    'rules are missing',
  );
  await see(scene, `rules import ${file}`, { sees: /Nothing was changed/ });
}

async function importFaulty(scene: Scene): Promise<void> {
  const file = join(scene.world.folder, 'faulty.csv');
  await writeFile(file, 'p, clerk, /api/v1/a, GET\np, clerk, /api/v1/b/, GET\n');
  await see(scene, `rules import ${file}`, { code: 1, sees: /Nothing was changed[\s\S]*line 2: / });
}

async function writeReplacement({ world }: Scene): Promise<void> {
  await writeFile(join(world.folder, 'clerk.csv'), 'p, clerk, /api/v1/stock, GET\n');
}

const rulesOfClerk = ({ world }: Scene) =>
  world.database.query(
    "select method, path from rules join roles on role_id = id where role_key = 'clerk' order by path",
  );

async function showColours({ terminal }: Scene): Promise<void> {
  await terminal.start('portcullis rules list --role clerk');
  await terminal.ended();
  expect((await terminal.readColours()).includes('\u001b['), 'there is no colour in the terminal');
  await terminal.start('portcullis rules list --role clerk | cat');
  await terminal.ended();
  expect(!(await terminal.readColours()).includes('\u001b['), 'there is colour through a pipe');
  await terminal.start('NO_COLOR=1 portcullis rules list --role clerk');
  await terminal.ended();
  expect(!(await terminal.readColours()).includes('\u001b['), 'there is colour with NO_COLOR');
}

async function rollBack(scene: Scene): Promise<void> {
  const text = await see(scene, 'rules history --role clerk', { sees: /Revision/ });
  const revisions = [...text.matchAll(/^(\d+) /gm)].map(([, revision]) => Number(revision));
  const oldest = Math.min(...revisions);
  const { run } = asks('rules rollback', `rules rollback --role clerk ${oldest}`, {
    question: /what they were after revision/,
    sees: /Every instance enforces it/,
    unchanged: rulesOfClerk,
  });
  await run(scene);
}

export const ruleCases: readonly Case[] = [
  simple('rules grant', 'gives', "rules grant clerk GET '/api/v1/orders/:id'", { sees: /clerk may call/ }),
  simple('rules grant', 'gives for a while', 'rules grant clerk DELETE /api/v1/orders/1042 --for 8h', {
    sees: /clerk may call DELETE \/api\/v1\/orders\/1042 until \d{4}-/,
  }),
  simple(
    'rules explain',
    'knows what is given for a while',
    'rules explain --role clerk DELETE /api/v1/orders/1042',
    {
      sees: /^Allowed\./,
    },
  ),
  simple('rules list', 'says until when', 'rules list --role clerk', {
    sees: /DELETE +\/api\/v1\/orders\/1042 +\d{4}-/,
  }),
  simple('rules revoke', 'ends what was given for a while', 'rules revoke clerk DELETE /api/v1/orders/1042', {
    sees: /no longer has the rule/,
  }),
  simple('rules list', 'lists', 'rules list', { sees: /clerk +GET +\/api\/v1\/orders\/:id/ }),
  { command: 'rules list', title: 'prints colours only in a terminal', run: showColours },
  simple('rules explain', 'allows', 'rules explain --role clerk GET /api/v1/orders/7', {
    sees: /^Allowed\./,
  }),
  simple('rules explain', 'refuses', 'rules explain --user alice DELETE /api/v1/orders/7', {
    code: 1,
    sees: /^Refused\./,
  }),
  simple('rules export', 'writes', 'rules export --format casbin', {
    sees: /^p, clerk, \/api\/v1\/orders\/:id, GET$/m,
  }),
  { command: 'rules import', title: 'names the line that is no rule', run: importFaulty },
  { command: 'rules import', title: 'of 20,000 shows progress; Ctrl-C leaves whole roles', run: importMany },
  {
    command: 'rules compare',
    title: 'shows the users who gain and who lose',
    async run(scene) {
      await writeReplacement(scene);
      const file = join(scene.world.folder, 'clerk.csv');
      await see(scene, `rules compare ${file}`, { sees: /\+ GET +\/api\/v1\/stock[\s\S]*- GET/ });
    },
  },
  {
    command: 'rules import',
    title: 'asks before it revokes',
    async run(scene) {
      const file = join(scene.world.folder, 'clerk.csv');
      const { run } = asks('rules import', `rules import ${file} --replace`, {
        question: /Take away 1 rule\?/,
        sees: /Added 1 rule and removed 1/,
        unchanged: rulesOfClerk,
      });
      await run(scene);
    },
  },
  simple('rules history', 'lists', 'rules history --role clerk', { sees: /command line: / }),
  { command: 'rules rollback', title: 'asks; Ctrl-C changes nothing; yes does it', run: rollBack },
  simple('rules revoke', 'waits for the instance', "rules revoke clerk GET '/api/v1/orders/:id'", {
    sees: /Every instance enforces it/,
  }),
];
