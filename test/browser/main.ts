// The console in a real Chromium, on the real server in prod and a real Postgres: `npm run browser`. Words pick other
// runs: `matrix` (100 roles and 1,000 endpoints), `users` (as many as `--users` says), `pictures` (those of the docs).
// `--built` takes the console as it was built before.
import { parseArgs } from 'node:util';
import type { Database } from '../rig/create-database.ts';
import { buildConsole } from './build-console.ts';
import { inspectDialogs } from './dialog-cases.ts';
import { fillCompany } from './fill-company.ts';
import { fillMatrix } from './fill-matrix.ts';
import { journey } from './journey.ts';
import { useKeysAlone } from './keyboard-case.ts';
import { measureMatrix } from './matrix-size.ts';
import { fitPhones, inspectPages, inspectSignIn } from './page-cases.ts';
import { takePictures } from './pictures.ts';
import { signInCases } from './sign-in-cases.ts';
import { createTally } from './tally.ts';
import { measureUsers } from './users-size.ts';
import { weighFirstPages } from './weight-case.ts';
import { createWorld, type World } from './world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { built: { type: 'boolean', default: false }, users: { type: 'string', default: '100000' } },
});
const users = Number(values.users);
const { judge, count } = createTally();

const runs: Readonly<Record<string, () => Promise<unknown>>> = {
  console: () => inWorld(fillCompany, runConsole),
  matrix: () =>
    inWorld(fillMatrix, (world) =>
      judge('the matrix opens at once and scrolls without a stop', () => measureMatrix(world), world),
    ),
  users: () =>
    judge(`lists of ${users.toLocaleString('en')} users are answered at once`, () => measureUsers(users)),
  pictures: () =>
    inWorld(fillCompany, (world) => judge('the pictures of the docs', () => takePictures(world), world)),
};
const chosen = positionals.length > 0 ? positionals : ['console'];
if (!Number.isSafeInteger(users) || users < 1 || chosen.some((name) => runs[name] === undefined)) {
  console.error(`Give names out of ${Object.keys(runs).join(', ')}, and a whole number of users.`);
  process.exit(2);
}

if (!values.built) await buildConsole();
for (const name of chosen) await runs[name]?.();
const { passed, failed } = count();
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;

async function inWorld(
  fill: (database: Database) => Promise<void>,
  run: (world: World) => Promise<unknown>,
): Promise<void> {
  const world = await createWorld(fill);
  try {
    await run(world);
  } finally {
    await world.stop();
  }
}

async function runConsole(world: World): Promise<void> {
  for (const { title, run } of journey(world)) if (!(await judge(title, run, world))) break;
  await judge('the first pages are light', () => weighFirstPages(world), world);
  for (const { title, run } of signInCases) await judge(title, () => run(world), world);
  await judge('keys alone do', () => useKeysAlone(world), world);
  // Contrast depends on the theme and names on the language: two tours see both.
  for (const look of [
    { theme: 'light', language: 'en' },
    { theme: 'dark', language: 'zh' },
  ] as const) {
    const name = `(${look.theme}, ${look.language})`;
    await judge(`signing in is accessible ${name}`, () => inspectSignIn(world, look), world);
    await judge(`every page is accessible and whole ${name}`, () => inspectPages(world, look), world);
  }
  for (const theme of ['light', 'dark'] as const)
    await judge(`dialogs are accessible (${theme})`, () => inspectDialogs(world, { theme }), world);
  for (const language of ['en', 'zh'] as const)
    await judge(`every page fits a phone (${language})`, () => fitPhones(world, { language }), world);
}
