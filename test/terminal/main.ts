// The command line in a real terminal: `npm run terminal`. Every command's help, and every command once for real:
// questions, progress, Ctrl-C and colours. Needs tmux and Postgres.

import { closeSuite, collectNotes, note } from '../rig/notes.ts';
import { directoryCases, removalCases } from './directory-cases.ts';
import { directoryProviderCases } from './directory-provider-cases.ts';
import { expect } from './expect.ts';
import { leftForTheNight, listCommands, tryHelp } from './help-cases.ts';
import { logCases } from './log-cases.ts';
import { moveCases } from './move-cases.ts';
import { peopleCases } from './people-cases.ts';
import { ruleCases } from './rule-cases.ts';
import type { Scene } from './scene.ts';
import { closingCases, setupCases } from './setup-cases.ts';
import type { Terminal } from './terminal.ts';
import { createWorld } from './world.ts';

collectNotes();

const cases = [
  ...setupCases,
  ...directoryCases,
  ...peopleCases,
  ...directoryProviderCases,
  ...ruleCases,
  ...logCases,
  ...removalCases,
  ...moveCases,
  ...closingCases,
];
let passed = 0;
let failed = 0;
const startedAt = performance.now();
const world = await createWorld();
try {
  // One after the other: the first starts the server of them all.
  const terminal = await world.server.open('terminal');
  const service = await world.server.open('service');
  const help = await world.server.open('help');
  await Promise.all([tryAll({ world, terminal, service }), tryHelps(help)]);
} finally {
  await world.close();
}
console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
closeSuite({ passed, failed });

async function tryHelps(help: Terminal): Promise<void> {
  const commands = await listCommands();
  await judge('', 'has no command that is not tried', async () => {
    const isTried = (name: string) => cases.some(({ command }) => command === name);
    const untried = commands.filter(({ name, isLeaf }) => isLeaf && !isTried(name));
    expect(untried.length === 0, untried.map(({ name }) => name).join(', '));
  });
  for (const command of commands)
    await judge(command.name, 'has its help on one screen', () => tryHelp(help, command));
  if (leftForTheNight !== undefined) note('skipped', leftForTheNight);
}

async function tryAll(scene: Scene): Promise<void> {
  for (const { command, title, run } of cases) await judge(command, title, () => run(scene));
}

async function judge(command: string, title: string, run: () => Promise<void>): Promise<void> {
  const name = `portcullis ${command}`.trim();
  try {
    await run();
    passed += 1;
    console.log(`ok     ${name}: ${title}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${name}: ${title}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
