// `npm run quick`, after every change: types, lint of what changed, and the tests that depend on it and need no Postgres.
// `npm run quick -- main` counts from a revision instead of HEAD. It shows the way; `npm run check` decides.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readImportGraph } from './import-graph.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const [base = 'HEAD'] = process.argv.slice(2);

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [
  ...git('diff', '--name-only', '--relative', base),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((file) => existsSync(`${root}${file}`));

interface Step {
  readonly name: string;
  readonly words: readonly string[];
}

/** Tests that reach what changed: what runs here, and the others by the command that runs them. */
function findTests(): { here: string[]; elsewhere: Map<string, string[]> } {
  const graph = readImportGraph();
  const isOfTests = (file: string) => /(^|\/)test\//.test(file);
  const connects = (file: string) =>
    graph.packagesOf(file).some((name) => name === 'pg' || name === 'mysql2');
  const needsPostgres = (file: string) => [...graph.reach(file, isOfTests)].some(connects);
  const suiteOf = (file: string) =>
    ['conformance', 'attack', 'examples'].find((suite) => file.startsWith(`test/${suite}/`)) ?? 'unit';
  const tests = graph.files.filter((file) => {
    const reached = file.endsWith('.test.ts') ? graph.reach(file) : new Set();
    return changed.some((one) => reached.has(one));
  });
  const here = tests.filter((file) => suiteOf(file) === 'unit' && !needsPostgres(file));
  return {
    here,
    elsewhere: Map.groupBy(
      tests.filter((file) => !here.includes(file)),
      suiteOf,
    ),
  };
}

/** Resolves with whether it went well; what it wrote is shown when it has ended, so that nothing is mixed. */
async function run({ name, words: [program = '', ...words] }: Step): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(program, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(
    `${code === 0 ? 'well ' : 'WRONG'}  ${name}, ${seconds} s\n${code === 0 ? '' : stdout + stderr}`,
  );
  return code === 0;
}

const binary = (name: string) => `node_modules/.bin/${name}`;
const { here, elsewhere } = findTests();
const isOfConsole = (file: string) => file.startsWith('packages/console/');
const steps: Step[] = [
  {
    name: `lint of ${changed.length} changed files`,
    words: [binary('biome'), 'ci', '--no-errors-on-unmatched', '--files-ignore-unknown=true', ...changed],
  },
  {
    name: 'types',
    words: [
      binary('tsc'),
      '--noEmit',
      '--incremental',
      '--tsBuildInfoFile',
      'node_modules/.cache/quick.tsbuildinfo',
    ],
  },
  ...(changed.some(isOfConsole)
    ? [{ name: 'types of the console', words: ['npm', 'run', '--silent', 'types', '-w', 'packages/console'] }]
    : []),
  ...(here.length > 0
    ? [{ name: `${here.length} test files`, words: [binary('vitest'), 'run', '--project', 'unit', ...here] }]
    : []),
];

if (changed.length === 0) process.stdout.write(`Nothing has changed since ${base}.\n`);
else {
  const results = await Promise.all(steps.map(run));
  for (const [suite, files] of elsewhere)
    process.stdout.write(
      `left out: ${files.length} test files that need Postgres; run \`npm run ${suite}\`\n`,
    );
  if (results.includes(false)) process.exitCode = 1;
}
