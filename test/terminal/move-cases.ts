// The migration from go-admin, and the recovery after a restored backup.
import {
  createSourceDatabase,
  type SourceDatabase,
} from '../../packages/operator/test/go-admin/source-database.ts';
import { shippedRows } from '../../packages/operator/test/go-admin/source-schema.ts';
import { expect } from './expect.ts';
import { type Case, hold, type Scene, seeEnd } from './scene.ts';

const users = 20_000;

async function moveIn(scene: Scene): Promise<void> {
  const source = await createSourceDatabase('postgres', 'current');
  try {
    await fill(source);
    await interrupt(scene, source.url);
    await answer(scene, source.url);
  } finally {
    await source.drop();
  }
}

async function fill(source: SourceDatabase): Promise<void> {
  await source.insert(shippedRows('current'));
  await source.run(
    `insert into sys_user (username, password, nick_name, role_id, dept_id, status)
     select 'moved' || n, password, 'Moved', role_id, dept_id, '2' from generate_series(1, ${users}) n,
       (select * from sys_user limit 1) one`,
  );
}

async function askForUrl({ terminal }: Scene, url: string): Promise<void> {
  await terminal.start('portcullis import go-admin');
  await terminal.waitFor(/URL of go-admin/);
  await terminal.type(url);
  await terminal.press('Enter');
  const text = await terminal.waitFor(/Add what go-admin has/);
  expect(!text.includes(url), 'the URL, which has a password in it, is on the screen');
  await terminal.type('y');
}

const countUsers = async ({ world }: Scene) => {
  const [row] = await world.database.query<{ n: number }>('select count(*)::int as n from users');
  return row?.n ?? 0;
};

async function interrupt(scene: Scene, url: string): Promise<void> {
  const before = await countUsers(scene);
  // However fast it is, its last step waits until Ctrl-C has ended it.
  const free = await hold(scene, 'select from current_revision for update');
  try {
    await expectInterrupted(scene, url);
  } finally {
    await free();
  }
  expect((await countUsers(scene)) === before, 'users were left after Ctrl-C');
}

async function expectInterrupted(scene: Scene, url: string): Promise<void> {
  await askForUrl(scene, url);
  // Which of them stays while it waits depends on how fast it is.
  await scene.terminal.waitFor(/[\d,]+ (users|rules) \.\.\.|Rules of \S+ \.\.\./);
  await scene.terminal.press('C-c');
  const { code } = await scene.terminal.ended();
  expect(code === 130, `it ended with ${code}`);
}

async function answer(scene: Scene, url: string): Promise<void> {
  const before = await countUsers(scene);
  await askForUrl(scene, url);
  await seeEnd(scene.terminal, { sees: /Users? /i });
  expect((await countUsers(scene)) >= before + users, 'users are missing');
}

export const moveCases: readonly Case[] = [
  {
    command: 'import go-admin',
    title: 'hides the URL, shows progress; Ctrl-C leaves nothing; yes moves all',
    run: moveIn,
  },
  {
    command: 'recover',
    title: 'asks; Ctrl-C changes nothing; yes ends every session',
    async run(scene) {
      const { terminal, world } = scene;
      const read = async () => JSON.stringify(await world.database.query('select n from current_revision'));
      const before = await read();
      await terminal.start('portcullis recover');
      await terminal.waitFor(/End every session\?/);
      await terminal.press('C-c');
      await seeEnd(terminal, { code: 130, sees: /Nothing was changed\./ });
      expect((await read()) === before, 'Ctrl-C changed something');
      await terminal.start('portcullis recover');
      await terminal.waitFor(/End every session\?/);
      await terminal.type('y');
      await seeEnd(terminal, { sees: /Every session is ended\./ });
      expect((await read()) !== before, 'yes changed nothing');
    },
  },
];
