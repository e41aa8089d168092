// The page docs/explanation/security.md: every threat beside its defence and what holds it. Reports a threat that nothing holds and
// that nobody calls open, a test of test/attack that names no threat, and something that holds one but does not exist.
// It reads sources only and runs no test.
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Threat } from '../test/attack/threats/threat.ts';
import { sections } from '../test/attack/threats.ts';
import { readTests, showTitle } from './read-tests.ts';

const root = new URL('../', import.meta.url);
const testFolder = 'test/attack/';
const threats = sections.flatMap((section) => section.threats);

interface NumberedTest {
  readonly file: string;
  /** Both without their numbers. */
  readonly group: string;
  readonly title: string;
  readonly ids: readonly string[];
}

/** The page, and what is wrong with threats and tests; where something is, the page is not to be trusted. */
export function securityPage(): { page: string; problems: string[] } {
  const tests = readTests(testFolder).map(({ file, ...titles }) => {
    const group = readNumbers(titles.group);
    const own = readNumbers(titles.title);
    return { file, group: group.rest, title: own.rest, ids: own.ids.length > 0 ? own.ids : group.ids };
  });
  return { page: writePage(tests), problems: findProblems(tests) };
}

/** `T14 and T15 ...` and `T25: ...` alike; a test whose title has no number has that of its group. */
function readNumbers(title: string): { ids: string[]; rest: string } {
  const [numbers = ''] = /^T\d+(?:(?:, | and )T\d+)*:?\s*/.exec(title) ?? [];
  return { ids: numbers.match(/T\d+/g) ?? [], rest: title.slice(numbers.length) };
}

function findProblems(tests: readonly NumberedTest[]): string[] {
  const held = new Set(tests.flatMap(({ ids }) => ids));
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
        .map((id) => `${testFolder}${file}: "${title}" is about ${id}, which is no threat.`),
    ),
    ...threats
      .filter(({ id, heldBy, open }) => !held.has(id) && heldBy === undefined && open === undefined)
      .map(({ id, attack }) => `Nothing holds ${id}, and nobody says why not: ${attack}`),
    ...threats.flatMap(({ id, heldBy = [] }) =>
      heldBy
        .filter((name) => !isThere(name))
        .map((name) => `${id} is held by "${name}", which does not exist.`),
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
        : [`The threat ${threat.id} stands where T${String(due).padStart(2, '0')} should.`];
    }),
  );
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

function writePage(tests: readonly NumberedTest[]): string {
  const rows = threats.map((threat) => ({
    threat,
    holding: tests.filter(({ ids }) => ids.includes(threat.id)),
  }));
  const count = (isSo: (row: (typeof rows)[number]) => boolean) => rows.filter(isSo).length;
  const isOpen = ({ threat }: (typeof rows)[number]) => threat.open !== undefined;
  const lines = [
    ...head,
    '',
    `${rows.length} threats: ${count((row) => !isOpen(row) && row.holding.length > 0)} held by tests of this suite,`,
    `${count((row) => !isOpen(row) && row.holding.length === 0)} held elsewhere, ${count(isOpen)} open, all or in part.`,
  ];
  for (const section of sections) {
    lines.push('', `## ${section.title}`, '', '| | Attack | Defence | State |', '|---|---|---|---|');
    for (const threat of section.threats) {
      const holding = rows.find((row) => row.threat === threat)?.holding ?? [];
      const cells = [`**${threat.id}**`, threat.attack, threat.defence, stateOf(threat, holding)];
      lines.push(`| ${cells.map(asCell).join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const head = [
  '# Security',
  '',
  'Generated by `npm run docs`; do not edit. What an attacker may try, what stands against it, and what shows that it',
  'does. `npm run attack` runs the tests of this suite against real servers on real Postgres, over TCP, at sizes for every',
  'change; `npm run attack -- --full` runs them at full size, and a name behind it picks a file. A refusal counts only if',
  'no handler was entered, by the handlers’ own count.',
  '',
  'Not tested here: the machines, networks and browsers around the service, Node and Postgres themselves, whoever holds',
  'the master key or may write to the database, and a service that verifies tokens with nothing but the public keys.',
  'Assumed: no clock of a machine stops while it is paused, which [0022](../decisions/0022-postgres-as-people-run-it.md#a-machine-that-stands-still)',
  'says more about.',
  'How to report a vulnerability stands in [SECURITY.md](../../SECURITY.md).',
];

function stateOf({ heldBy = [], open }: Threat, holding: readonly NumberedTest[]): string {
  const isHeld = holding.length + heldBy.length > 0;
  const files = Map.groupBy(holding, ({ file }) => file);
  return [
    isHeld ? (open === undefined ? '**Held**' : '**Held in part**') : '**Open**',
    ...[...files].map(([file, tests]) => `${linkTo(testFolder + file)}: ${showTests(tests)}`),
    ...(heldBy.length > 0 ? [`by ${heldBy.map(showHolder).join(', ')}`] : []),
    ...(open === undefined ? [] : [`Open: ${open}`]),
  ].join('<br>');
}

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
  return `[${file.replace(/^.*\//, '').replace(/(?:\.test)?\.ts$/, '')}](../../${file})`;
}

function asCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
