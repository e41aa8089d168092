// The console in a real Chromium, on the real server in prod and a real Postgres: `npm run browser`. Words pick other
// runs: `trouble` (only what goes wrong: other people, the network, a session), `sign-in`, one of the parts below, `matrix`
// (200 roles and 2,000 endpoints), `users` (as many as `--users` says), `pictures` (those of the docs).
// `--built` takes the console as it was built before, `--width 1024` a smaller desk than 1440 px.
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import type { Database } from '../rig/create-database.ts';
import { closeSuite, collectNotes, note } from '../rig/notes.ts';
import { askCases } from './ask-cases.ts';
import { buildConsole } from './build-console.ts';
import { inspectDialogs } from './dialog-cases.ts';
import { directoryCases, startDirectory } from './directory-cases.ts';
import { editCases } from './edit-cases.ts';
import { fieldCases } from './field-cases.ts';
import { fillCompany } from './fill-company.ts';
import { fillMatrix } from './fill-matrix.ts';
import { findCases } from './find-cases.ts';
import { formCases } from './form-cases.ts';
import { journey } from './journey.ts';
import { useKeysAlone } from './keyboard-case.ts';
import { launchChromium } from './launch-chromium.ts';
import { logsCases } from './logs-cases.ts';
import { leftForTheNight, looksAtAll } from './looks-at-all.ts';
import { machineCases } from './machine-cases.ts';
import { markupCases } from './markup-cases.ts';
import { matrixCases } from './matrix-cases.ts';
import { measureMatrix } from './matrix-size.ts';
import { objectCases } from './object-cases.ts';
import { outageCases } from './outage-cases.ts';
import { createPageTour, inspectSignIn } from './page-cases.ts';
import { usePasskeys } from './passkey-case.ts';
import { passkeyCases } from './passkey-cases.ts';
import { peopleCases } from './people-cases.ts';
import { takePictures } from './pictures.ts';
import { useProvider } from './provider-case.ts';
import { rowCases } from './row-cases.ts';
import { signInCases } from './sign-in-cases.ts';
import { createTally } from './tally.ts';
import { measureUsers } from './users-size.ts';
import { waysCases } from './ways-cases.ts';
import { weighFirstPages } from './weight-case.ts';
import { createWorld, type Desk, desks, type World } from './world.ts';

collectNotes();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    built: { type: 'boolean', default: false },
    users: { type: 'string', default: '100000' },
    width: { type: 'string', default: '1440' },
  },
});
const users = Number(values.users);
const desk: Desk | undefined = Object.values(desks).find(({ width }) => String(width) === values.width);
const { judge, count } = createTally();

interface Case {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

/** Each in a separate company: a change of one would break another. */
const parts: Readonly<Record<string, readonly Case[]>> = {
  objects: [...peopleCases, ...objectCases, ...formCases, ...fieldCases],
  cells: matrixCases,
  find: findCases,
  ask: askCases,
  logs: logsCases,
  ways: waysCases,
  machines: machineCases,
  rows: rowCases,
  markup: markupCases,
};
/** Of the run of all, and of nothing else. */
const alone = {
  trouble: [...editCases, ...outageCases],
  'sign-in': signInCases,
} satisfies Readonly<Record<string, readonly Case[]>>;

const runs: Readonly<Record<string, () => Promise<unknown>>> = {
  console: async () => {
    await inWorld(fillCompany, runConsole);
    for (const name of [...Object.keys(parts), 'passkeys', 'provider', 'directory']) await runs[name]?.();
  },
  ...Object.fromEntries(
    Object.entries({ ...parts, ...alone }).map(([name, cases]) => [
      name,
      () => inWorld(fillCompany, (world) => judgeAll(cases, world)),
    ]),
  ),
  passkeys: async () => {
    await judge('a passkey of a real browser logs in, and none of a false site', usePasskeys);
    await inWorld(fillCompany, (world) => judgeAll(passkeyCases, world), { hasPasskeys: true });
  },
  provider: async () => {
    const browser = await openChromium();
    await judge('the company account signs in once it is linked, and is signed out by its provider', () =>
      useProvider(browser),
    );
  },
  directory: async () => {
    const slapd = await startDirectory();
    try {
      await inWorld(fillCompany, (world) => judgeAll(directoryCases(slapd), world));
    } finally {
      await slapd.stop();
    }
  },
  matrix: () =>
    inWorld(fillMatrix, (world) =>
      judge('the matrix opens at once and scrolls without a stop', () => measureMatrix(world), world),
    ),
  users: () =>
    judge(`every page of ${users.toLocaleString('en')} users is answered at once`, () => measureUsers(users)),
  pictures: () =>
    inWorld(fillCompany, (world) => judge('the pictures of the docs', () => takePictures(world), world)),
};
const chosen = positionals.length > 0 ? positionals : ['console'];
if (
  !Number.isSafeInteger(users) ||
  users < 1 ||
  desk === undefined ||
  chosen.some((name) => runs[name] === undefined)
) {
  console.error(
    `Give names out of ${Object.keys(runs).join(', ')}, a whole number of users, and a width out of ${Object.keys(desks).join(', ')}.`,
  );
  process.exit(2);
}

let chromium: Browser | undefined;
if (!values.built) await buildConsole();
for (const name of chosen) await runs[name]?.();
await chromium?.close();
const { passed, failed } = count();
closeSuite({ passed, failed });
if (passed === 0) process.exitCode = 1;

async function inWorld(
  fill: (database: Database) => Promise<void>,
  run: (world: World) => Promise<unknown>,
  options: { readonly hasPasskeys?: boolean } = {},
): Promise<void> {
  const world = await createWorld(await openChromium(), fill, { desk, ...options });
  try {
    await run(world);
  } finally {
    await world.stop();
  }
}

/** One for all worlds: to start it costs some seconds. */
async function openChromium(): Promise<Browser> {
  if (chromium?.isConnected() !== true) chromium = await launchChromium();
  return chromium;
}

async function runConsole(world: World): Promise<void> {
  for (const { title, run } of journey(world)) if (!(await judge(title, run, world))) break;
  await judge('the first pages are light', () => weighFirstPages(world), world);
  await judgeAll([...signInCases, ...alone.trouble], world);
  await judge('keys alone do', () => useKeysAlone(world), world);
  // Contrast depends on the theme and names on the language: two tours see both.
  for (const look of [
    { theme: 'light', language: 'en' },
    { theme: 'dark', language: 'zh' },
  ] as const) {
    const name = `(${look.theme}, ${look.language})`;
    await judge(`signing in is accessible ${name}`, () => inspectSignIn(world, look), world);
    const tour = createPageTour(world, look);
    await judge(`every page is accessible and whole ${name}`, tour.inspect, world);
    await judge(`every page fits a phone (${look.language})`, tour.fitPhones, world);
  }
  for (const theme of ['light', 'dark'] as const)
    await judge(`dialogs are accessible (${theme})`, () => inspectDialogs(world, { theme }), world);
  if (!looksAtAll) note('skipped', leftForTheNight);
}

async function judgeAll(cases: readonly Case[], world: World): Promise<void> {
  for (const { title, run } of cases) await judge(title, () => run(world), world);
}
