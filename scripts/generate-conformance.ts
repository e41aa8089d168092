// The page docs/reference/conformance.md: every sentence of the specification that states behaviour, beside the tests that hold
// it. Reports such a sentence without a test, a tag that names no sentence, and a test without a tag. It reads sources
// only and runs no test.
import { readFileSync } from 'node:fs';
import { readTests, type SourceTest, showTitle } from './read-tests.ts';

const root = new URL('../', import.meta.url);
const specificationFile = 'docs/reference/specification.md';
const testFolder = 'test/conformance/';

/** One sentence, list item or table row of the specification. */
interface Statement {
  /** The section's heading, then the number in a list, the name of a table row, or s1, s2 ... for prose. */
  readonly id: string;
  readonly section: string;
  readonly text: string;
}

interface TaggedTest {
  readonly file: string;
  readonly title: string;
  readonly tags: readonly string[];
}

/** What says nothing that a test could hold, each with its first words: a renumbered sentence must not hide here. */
const withoutBehaviour: Readonly<Record<string, string>> = {
  'authentication-and-authorization-service-specification-s1': 'This document covers',
  'authentication-and-authorization-service-specification-s2': 'It is the only document.',
  'login-request-s1': 'Types and length bounds of the login fields: not shown.',
  'login-success-result-s1': 'Format and type of `expire`: not shown.',
  'token-payload-s3': 'Exact claim names in the token: not shown.',
  'permission-exclusion-list-s3': "The list's storage format is not shown.",
  'states-and-transitions-s1': 'States: not shown.',
  'states-and-transitions-s2': 'Transitions: not shown.',
  'endpoints-s2': 'The exact envelope wrapped around',
  'authentication-s1': 'Signing algorithm, signing-secret setting and password storage: not shown.',
  'events-s4': 'Fields of the login log record: not shown.',
  'events-s5': 'Event kinds delivered to clients or subscribers: not shown.',
  'errors-s1': 'Rules:',
  'errors-s2': 'Error codes and messages for invalid parameters',
  'errors-s3': 'The text content of `msg`: not shown.',
  'limits-s1': 'Token lifetime in `prod` mode: not shown.',
  'limits-s2': 'Rate limits, including the numbers',
  'versioning-s3': 'Versioning policy and deprecation rules: not shown.',
};

/** The page, and what is wrong with tests and tags; where something is, the page is not to be trusted. */
export function conformancePage(): { page: string; problems: string[] } {
  const statements = parseSpecification(readFileSync(new URL(specificationFile, root), 'utf8'));
  const tests = readTests(testFolder).map(readTags);
  return { page: writePage(statements, tests), problems: findGaps(statements, tests) };
}

function parseSpecification(text: string): Statement[] {
  const statements: Statement[] = [];
  let section = '';
  let sentences = 0;
  let item = '';
  let rows = 0;
  for (const line of text.split('\n')) {
    const add = (id: string, content: string) =>
      statements.push({ id: `${slug(section)}-${id}`, section, text: content });
    const heading = /^#+ (.+)$/.exec(line)?.[1];
    const numbered = /^(\d+)\. (.+)$/.exec(line);
    const lettered = /^ +- ([a-z])\. (.+)$/.exec(line);
    rows = line.startsWith('|') ? rows + 1 : 0;
    if (heading !== undefined) {
      section = heading;
      sentences = 0;
    } else if (numbered !== null) {
      item = numbered[1] ?? '';
      addSentences(item, numbered[2] ?? '', add);
    } else if (lettered !== null) addSentences(`${item}${lettered[1]}`, lettered[2] ?? '', add);
    else if (rows > 2) addRow(line, add);
    else if (rows === 0 && line.trim() !== '')
      for (const sentence of splitSentences(line)) {
        sentences += 1;
        add(`s${sentences}`, sentence);
      }
  }
  return statements;
}

type Add = (id: string, content: string) => void;

/** A list item of several sentences gives each a separate number. */
function addSentences(id: string, text: string, add: Add): void {
  const sentences = splitSentences(text);
  for (const [index, sentence] of sentences.entries())
    add(sentences.length === 1 ? id : `${id}.${index + 1}`, sentence);
}

/** A row is named by its first cell, or by its path where it has one. */
function addRow(line: string, add: Add): void {
  const cells = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  const path = cells
    .map((cell) => /^`\/(?:[\w-]+\/)*([\w-]+)`$/.exec(cell)?.[1])
    .find((name) => name !== undefined);
  add(slug(path ?? cells[0] ?? ''), cells.join(' · '));
}

function splitSentences(text: string): string[] {
  return text
    .trim()
    .split(/(?<=[.:]) (?=[A-Z`])/)
    .reduce<string[]>(joinLabels, []);
}

/** A colon ends a sentence only at the end of a line: what stands after it belongs to it. */
function joinLabels(sentences: string[], part: string): string[] {
  const last = sentences.at(-1);
  if (last?.endsWith(':')) return [...sentences.slice(0, -1), `${last} ${part}`];
  return [...sentences, part];
}

function slug(text: string): string {
  const plain = text.replace(/\([^)]*\)/g, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

function readTags({ file, group, title: whole }: SourceTest): TaggedTest {
  const [, title = whole, tags = ''] = /^(.+?)((?: \[[a-z0-9.-]+\])+)$/.exec(whole) ?? [];
  return {
    file,
    title: group === '' || group === 'in mode %s' ? title : `${group}: ${title}`,
    tags: tags.match(/[a-z0-9.-]+/g) ?? [],
  };
}

function findGaps(statements: readonly Statement[], tests: readonly TaggedTest[]): string[] {
  const known = new Map(statements.map((statement) => [statement.id, statement.text]));
  const held = new Set(tests.flatMap(({ tags }) => tags));
  const twice = statements.filter(
    ({ id }, index) => statements.findIndex((other) => other.id === id) !== index,
  );
  return [
    ...twice.map(({ id }) => `Two statements of the specification are called ${id}.`),
    ...statements
      .filter(({ id }) => !held.has(id) && !(id in withoutBehaviour))
      .map(({ id, text }) => `No test holds [${id}]: ${text}`),
    ...tests
      .filter(({ tags }) => tags.length === 0)
      .map(
        ({ file, title }) => `${testFolder}${file} has a test without tags: "${title}". End it with [tags].`,
      ),
    ...tests.flatMap(({ file, tags }) =>
      tags
        .filter((tag) => !known.has(tag) || tag in withoutBehaviour)
        .map((tag) => `${testFolder}${file}: [${tag}] names no sentence that states behaviour.`),
    ),
    ...Object.entries(withoutBehaviour)
      .filter(([id, opening]) => known.get(id)?.startsWith(opening) !== true)
      .map(
        ([id, opening]) =>
          `${id} does not begin with "${opening}" any more: mend the list of what states no behaviour.`,
      ),
  ];
}

function writePage(statements: readonly Statement[], tests: readonly TaggedTest[]): string {
  const stated = statements.filter(({ id }) => !(id in withoutBehaviour));
  const sections = Map.groupBy(stated, ({ section }) => section);
  const lines = [
    '# Conformance',
    '',
    `Generated by \`npm run docs\`; do not edit. Every sentence of the [specification](specification.md)`,
    'that states behaviour stands beside the tests that hold it. The tests run the real server on real Postgres and',
    'speak TCP (`npm run conformance`), in the modes `prod`, `dev` and `test`; a test of several cases is listed once,',
    'with ‹names› for what varies. Where nothing depends on the mode, `prod` stands for all, unless',
    `\`PORTCULLIS_ALL_MODES=1\` is set: ${findFilesOfAnyMode().join(', ')}.`,
    '',
    `${stated.length} sentences, ${tests.length} tests.`,
  ];
  for (const [section, members] of sections) {
    lines.push('', `## ${section}`, '', '| Sentence | Tests |', '|---|---|');
    for (const { id, text } of members) {
      const holding = tests.filter(({ tags }) => tags.includes(id)).map(showTest);
      lines.push(`| **${id}**<br>${asCell(text)} | ${holding.join('<br>')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The files whose rules one mode holds for all. */
function findFilesOfAnyMode(): string[] {
  return [...new Set(readTests(testFolder).map(({ file }) => file))]
    .filter((file) =>
      readFileSync(new URL(testFolder + file, root), 'utf8').includes('describe.each(anyMode)'),
    )
    .map((file) => file.replace('.test.ts', ''));
}

function showTest({ file, title }: TaggedTest): string {
  return `${asCell(showTitle(title))} ([${file.replace('.test.ts', '')}](../../${testFolder}${file}))`;
}

function asCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
