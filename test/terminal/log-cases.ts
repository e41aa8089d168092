// The login log, and the routes of services.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from './expect.ts';
import { type Case, type Scene, see, simple } from './scene.ts';

async function follow({ terminal, world }: Scene): Promise<void> {
  await terminal.start('portcullis log tail --outcome failure');
  await terminal.waitFor(/Ctrl-C ends this/);
  await world.logIn('eve', 'wrong');
  await terminal.waitFor(/failure +credentials_wrong +\[unknown:3:[0-9a-f]{16}\]/);
  await terminal.press('C-c');
  const { code } = await terminal.ended();
  expect(code === 0, `it ended with ${code}`);
}

async function importRoutes(scene: Scene): Promise<void> {
  const file = join(scene.world.folder, 'openapi.yaml');
  await writeFile(file, 'openapi: 3.0.3\npaths:\n  /orders:\n    get: { summary: List orders }\n');
  await see(scene, `routes import ${file} --service orders`, { sees: /Added: 1/ });
}

export const logCases: readonly Case[] = [
  simple('log list', 'lists', 'log list', { sees: /success[\s\S]*admin/ }),
  { command: 'log tail', title: 'shows a record as it comes, and ends with Ctrl-C', run: follow },
  simple('log export', 'writes', 'log export --from 24h | head -2', { sees: /username/ }),
  simple('log verify', 'finds nothing, and says what it cannot see', 'log verify', {
    sees: /What is there fits together\.[\s\S]*Not anchored/,
    code: 3,
  }),
  simple('log head', 'signs', 'log head', { sees: /"signature"/ }),
  simple('log maintain', 'keeps it', 'log maintain', { sees: /heads/ }),
  { command: 'routes import', title: 'imports', run: importRoutes },
  simple('routes list', 'lists', 'routes list', { sees: /orders +GET +\/orders/ }),
  simple('routes report', 'reports', 'routes report --limit 3', { sees: /only admin can call/ }),
  simple('routes remove', 'removes', 'routes remove --service orders', { sees: /Removed 1 route of orders/ }),
];
