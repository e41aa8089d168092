// Writes docs/explanation/security.md, the overview of all threats, and one page per chapter under docs/explanation/security/. Reports a
// threat without a test that is not marked open, a test of test/attack that names no threat, and a named test that does not exist.
// Reads sources only and runs no test.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Section, Threat } from '../test/attack/threats/threat.ts';
import { sections } from '../test/attack/threats.ts';
import { readTests, showTitle } from './read-tests.ts';

const root = new URL('../', import.meta.url);
const testFolder = 'test/attack/';
const folder = 'docs/explanation/security/';
const verdicts: readonly Verdict[] = ['Defended', 'Partly defended', 'Not defended'];
const threats = sections.flatMap((section) => section.threats);

interface NumberedTest {
  readonly file: string;
  /** Both without their numbers. */
  readonly group: string;
  readonly title: string;
  readonly ids: readonly string[];
}

interface SecurityPage {
  readonly file: string;
  readonly page: string;
  readonly problems: readonly string[];
}

/** The overview and one page per chapter. The overview carries the problems: while there are any, no page is right. */
export function securityPages(): SecurityPage[] {
  const tests = readTests(testFolder).map(({ file, ...titles }) => {
    const group = readNumbers(titles.group);
    const own = readNumbers(titles.title);
    return { file, group: group.rest, title: own.rest, ids: own.ids.length > 0 ? own.ids : group.ids };
  });
  const chapters = sections.map((section) => ({
    file: `${folder}${section.page}.md`,
    page: writeChapter(section, tests),
    problems: [],
  }));
  const problems = [...findProblems(tests), ...findStrayPages(chapters.map(({ file }) => file))];
  return [{ file: 'docs/explanation/security.md', page: writeOverview(tests), problems }, ...chapters];
}

/** `T14 and T15 ...` and `T25: ...` alike; a test whose title has no number has that of its group. */
function readNumbers(title: string): { ids: string[]; rest: string } {
  const [numbers = ''] = /^T\d+(?:(?:, | and )T\d+)*:?\s*/.exec(title) ?? [];
  return { ids: numbers.match(/T\d+/g) ?? [], rest: title.slice(numbers.length) };
}

function findProblems(tests: readonly NumberedTest[]): string[] {
  const tested = new Set(tests.flatMap(({ ids }) => ids));
  return [
    ...findMisnumbered(),
    ...tests
      .filter(({ ids }) => ids.length === 0)
      .map(
        ({ file, title }) => `${testFolder}${file}: "${title}" does not begin with the number of a threat.`,
      ),
    ...tests.flatMap(({ file, title, ids }) =>
      ids
        .filter((id) => !threats.some((threat) => threat.id === id))
        .map((id) => `${testFolder}${file}: "${title}" names ${id}, but there is no such threat.`),
    ),
    ...threats
      .filter(({ id, heldBy, open }) => !tested.has(id) && heldBy === undefined && open === undefined)
      .map(({ id, attack }) => `${id} has no test and is not marked open: ${attack}`),
    ...threats.flatMap(({ id, heldBy = [] }) =>
      heldBy
        .filter((name) => !isThere(name))
        .map((name) => `${id} names the test "${name}", which does not exist.`),
    ),
  ];
}

/** T01 on, each once and in order. A section may leave numbers out before it: several are written at the same time. */
function findMisnumbered(): string[] {
  const numberOf = ({ id }: Threat) => Number(/^T(\d{2,})$/.exec(id)?.[1]);
  let before = 0;
  return sections.flatMap((section) =>
    section.threats.flatMap((threat, index) => {
      const due = before + 1;
      before = numberOf(threat);
      return before === due || (index === 0 && before > due)
        ? []
        : [`T${String(due).padStart(2, '0')} should come where ${threat.id} is.`];
    }),
  );
}

/** Pages of chapters that no longer exist, or that two chapters share. */
function findStrayPages(files: readonly string[]): string[] {
  const known = new Set(files);
  const onDisk = existsSync(new URL(folder, root)) ? readdirSync(new URL(folder, root)) : [];
  return [
    ...(known.size === files.length ? [] : ['Two chapters of threats have the same page.']),
    ...onDisk
      .filter((name) => !known.has(folder + name))
      .map((name) => `${folder}${name} belongs to no chapter.`),
  ];
}

/** A file, or `npm run <script> -- <name>` where the script's folder has a table with that name. */
function isThere(name: string): boolean {
  const command = /^npm run (\w+) -- ([\w-]+)$/.exec(name);
  if (command === null) return existsSync(new URL(name, root));
  const [, script = '', member = ''] = command;
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const main = /^node (\S+\/main\.ts)$/.exec(scripts[script] ?? '')?.[1];
  return main !== undefined && sourcesOf(main).some((source) => hasMember(source, member));
}

/** The command itself, and the files beside it that it imports tables of names from, also through one another. */
function sourcesOf(main: string): string[] {
  const folder = dirname(main);
  const files = new Set([main]);
  for (const file of files)
    for (const [, beside = ''] of read(file).matchAll(/ from '\.\/([^'/]+\.ts)'/g))
      if (dirname(file) === folder) files.add(`${folder}/${beside}`);
  return [...files].map(read);
}

function hasMember(source: string, name: string): boolean {
  return new RegExp(`^ {2}(?:'${name}'|${name}): `, 'm').test(source);
}

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

type Verdict = 'Defended' | 'Partly defended' | 'Not defended';

interface Row {
  readonly threat: Threat;
  readonly tests: readonly NumberedTest[];
  readonly verdict: Verdict;
}

function rowsOf({ threats }: Section, tests: readonly NumberedTest[]): Row[] {
  return threats.map((threat) => {
    const own = tests.filter(({ ids }) => ids.includes(threat.id));
    return { threat, tests: own, verdict: verdictOf(threat, own) };
  });
}

function verdictOf({ heldBy = [], open }: Threat, tests: readonly NumberedTest[]): Verdict {
  if (open === undefined) return 'Defended';
  return tests.length + heldBy.length > 0 ? 'Partly defended' : 'Not defended';
}

function writeOverview(tests: readonly NumberedTest[]): string {
  const all = sections.flatMap((section) => rowsOf(section, tests));
  const elsewhere = all.filter(
    ({ tests: own, verdict }) => verdict === 'Defended' && own.length === 0,
  ).length;
  const lines = [
    '# Threats and defences',
    '',
    ...head,
    '',
    `There are ${all.length} threats: ${countsOf(all)}. Of those defended, the attack tests prove`,
    `${countOf(all, 'Defended') - elsewhere}; other tests prove the remaining ${elsewhere}.`,
    '',
    '| Chapter | Threats | Defended | Partly defended | Not defended |',
    '|---|---|---|---|---|',
    ...sections.map((section) => {
      const rows = rowsOf(section, tests);
      const counts = verdicts.map((verdict) => countOf(rows, verdict));
      return `| [${section.title}](security/${section.page}.md) | ${[rangeOf(section), ...counts].join(' | ')} |`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function writeChapter(section: Section, tests: readonly NumberedTest[]): string {
  const rows = rowsOf(section, tests);
  const lines = [
    `# ${section.title}`,
    '',
    'Generated by `npm run docs`; do not edit.',
    `One chapter of the [threats and defences](../security.md). Threats: ${rows.length}; ${countsOf(rows)}.`,
    ...rows.flatMap(writeRow),
  ];
  return `${lines.join('\n')}\n`;
}

/** The heading is the number alone, so that the link to a threat stays the same when its text changes. */
function writeRow({ threat, tests, verdict }: Row): string[] {
  const { id, attack, defence, heldBy = [], open } = threat;
  const files = Map.groupBy(tests, ({ file }) => file);
  const proofs = [
    ...[...files].map(([file, own]) => `- ${linkTo(testFolder + file)}: ${showTests(own)}`),
    ...heldBy.map((name) => `- ${showHolder(name)}`),
  ];
  return [
    '',
    `## ${id}`,
    '',
    `**Attack:** ${attack}`,
    '',
    `**Defence:** ${defence}`,
    '',
    `**Verdict:** ${verdict}`,
    ...(open === undefined ? [] : ['', `**Open:** ${open}`]),
    ...(proofs.length === 0 ? [] : ['', '**Tests:**', '', ...proofs]),
  ];
}

function countsOf(rows: readonly Row[]): string {
  return verdicts.map((verdict) => `${countOf(rows, verdict)} ${verdict.toLowerCase()}`).join(', ');
}

function countOf(rows: readonly Row[], verdict: Verdict): number {
  return rows.filter((row) => row.verdict === verdict).length;
}

function rangeOf({ threats }: Section): string {
  const [first, last] = [threats.at(0)?.id, threats.at(-1)?.id];
  return first === last ? `${first}` : `${first} to ${last}`;
}

const head = [
  'Generated by `npm run docs`; do not edit. Each chapter lists attacks on Portcullis, the defence against each attack, and the',
  'tests that prove the defence. *Partly defended* means that the row also says what is open.',
  '',
  '`npm run attack` runs the attack tests against real servers on real Postgres, over TCP, at sizes small enough for every change.',
  '`npm run attack -- --full` runs them at full size; a further word selects one file. A rejected call counts as rejected only',
  'if the handlers’ own count shows that no handler ran.',
  '',
  'These tests do not cover the machines, networks and browsers around the service, Node and Postgres themselves, people with',
  'the master key or with write access to the database, and services that verify tokens with the public keys alone. They assume',
  'that the clock of a machine does not stop while the machine is paused; decision',
  '[0022](../decisions/0022-postgres-requirements.md#clocks-that-stop-while-a-machine-is-paused) explains why. [SECURITY.md](../../SECURITY.md)',
  'says how to report a vulnerability.',
];

function showTests(tests: readonly NumberedTest[]): string {
  const groups = [...Map.groupBy(tests, ({ group }) => group)].map(([group, members]) => {
    const titles = members.map(({ title }) => title).join('; ');
    return showTitle(group === '' ? titles : `${group}: ${titles}`);
  });
  return groups.join('. ');
}

function showHolder(name: string): string {
  return name.startsWith('npm run') ? `\`${name}\`` : linkTo(name);
}

function linkTo(file: string): string {
  return `[${file}](../../../${file})`;
}
