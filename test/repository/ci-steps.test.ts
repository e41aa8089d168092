// What .ci/run runs before a change lands, the jobs of .github/workflows/ci.yml run too.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Steps {
  readonly steps: readonly { readonly run?: string }[];
}

/** The script itself says it, in a folder where a step does nothing but tell its command. */
function listSteps(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-ci-'));
  try {
    for (const name of ['.ci', 'scripts']) mkdirSync(join(folder, name));
    cpSync('.ci/run', join(folder, '.ci/run'));
    writeFileSync(join(folder, 'scripts/use-node'), '');
    writeFileSync(
      join(folder, '.ci/steps'),
      'step() { [ "$1" = twice ] && shift; printf "step %s\\n" "$*"; }\nuse_postgres_in_memory() { :; }\n',
    );
    const told = execFileSync('bash', [join(folder, '.ci/run')], { encoding: 'utf8' });
    return [...told.matchAll(/^step (.+)$/gm)].map(([, command = '']) => command);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function listRuns(jobs: readonly Steps[]): string[] {
  return jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : run.split('\n'))));
}

it('every step of .ci/run is a step of a job', () => {
  const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8')) as { jobs: Record<string, Steps> };
  const { runs } = parse(readFileSync('.github/actions/prepare/action.yml', 'utf8')) as { runs: Steps };
  const run = new Set(listRuns([runs, ...Object.values(jobs)]));
  const steps = listSteps();
  expect(steps).toContain('npm run fuzz -- policy');
  expect(steps.filter((command) => !run.has(command))).toEqual([]);
});
