// The files of .github: GitHub can read them, and what they run is there, pinned, bounded and without rights it does not need.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { lintWorkflow } from './lint-workflow.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly container?: string | { readonly image: string };
  readonly permissions?: unknown;
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflowFiles = globSync('.github/workflows/*').sort();
const actionFiles = globSync('.github/actions/*/action.yml').sort();
const workflows = workflowFiles.map((file) => ({
  file,
  workflow: parse(readFileSync(file, 'utf8')) as Workflow,
}));
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ at: `${basename(file)}, ${name}`, job })),
);
const actions = actionFiles.map((file) => {
  const { runs } = parse(readFileSync(file, 'utf8')) as { runs: { steps: readonly Step[] } };
  return { at: file, steps: runs.steps };
});
const steps = [
  ...jobs.map(({ at, job }) => ({ at, steps: [job, ...(job.steps ?? [])] })),
  ...actions,
].flatMap(({ at, steps }) => steps.map((step: Step) => ({ at, step })));

const job = 'jobs:\n  check:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: npm ci\n';

it.each([
  ['an unknown key', `on: push\n${job}        wiht: {}\n`],
  ['an unknown name in an expression', `on: push\n${job}      - run: echo \${{ githb.ref }}\n`],
  ['a job that waits for an unknown one', `on: push\n${job}    needs: unknown\n`],
  ['an unknown event', `on: pushed\n${job}`],
])('a workflow with %s is found', async (fault, text) => {
  const file = (name: string) => `.github/workflows/${name.replaceAll(' ', '-')}.yml`;
  expect(await lintWorkflow(file(`without ${fault}`), `on: push\n${job}`)).toEqual([]);
  expect(await lintWorkflow(file(`with ${fault}`), text)).not.toEqual([]);
});

it.each([...workflowFiles, ...actionFiles])('%s is valid for GitHub', async (file) => {
  expect(await lintWorkflow(file, readFileSync(file, 'utf8'))).toEqual([]);
});

it('every script that a step runs is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const run = steps.flatMap(({ at, step }) =>
    [...(step.run ?? '').matchAll(/\bnpm run (\S+)/g)].map(([, name = '']) => ({ at, name })),
  );
  expect(run.length).toBeGreaterThan(0);
  expect(run.filter(({ name }) => !(name in scripts))).toEqual([]);
});

it('every action and image has its version, and those of this repository exist', () => {
  const used = steps.flatMap(({ at, step }) => (step.uses === undefined ? [] : [{ at, uses: step.uses }]));
  expect(used.length).toBeGreaterThan(0);
  const pinned = /^[\w-]+\/[\w./-]+@(?:v\d+(?:\.\d+){0,2}|[0-9a-f]{40})$/;
  const loose = used.filter(({ uses }) => {
    if (!uses.startsWith('./')) return !pinned.test(uses);
    return !existsSync(uses) || (!uses.endsWith('.yml') && !existsSync(join(uses, 'action.yml')));
  });
  expect(loose).toEqual([]);
  const node = readFileSync('.node-version', 'utf8').trim();
  const images = jobs.flatMap(({ job: { container } }) =>
    container === undefined ? [] : [typeof container === 'string' ? container : container.image],
  );
  expect(new Set(images)).toEqual(new Set([`node:${node}-bookworm`]));
});

it('every job has a time limit, and every workflow sets its concurrency', () => {
  // A job that calls a workflow has the limits of the jobs that are called.
  const endless = jobs.filter(({ job }) => job.uses === undefined && !((job['timeout-minutes'] ?? 0) > 0));
  expect(endless.map(({ at }) => at)).toEqual([]);
  expect(workflows.filter(({ workflow }) => workflow.concurrency === undefined)).toEqual([]);
});

it('a workflow can only read the repository, and only publishing gets an identity token', () => {
  for (const { file, workflow } of workflows)
    expect(workflow.permissions, file).toEqual({ contents: 'read' });
  const more = jobs.filter(({ job }) => job.permissions !== undefined);
  expect(more.map(({ at, job }) => [at, job.permissions])).toEqual([
    ['release.yml, publish', { contents: 'read', 'id-token': 'write' }],
  ]);
});
