// The workflows of .github run what .ci/run and .ci/nightly run, and the night leaves out no part and no scenario.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scenarios } from '../chaos/scenarios.ts';

interface Steps {
  readonly steps: readonly { readonly run?: string }[];
}

/** The script itself lists them, in a folder where a step prints its command and does nothing. */
function listSteps(script: 'run' | 'nightly', ...args: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-ci-'));
  try {
    for (const name of ['.ci', 'scripts']) mkdirSync(join(folder, name));
    cpSync(`.ci/${script}`, join(folder, `.ci/${script}`));
    writeFileSync(join(folder, 'scripts/use-node'), '');
    writeFileSync(
      join(folder, '.ci/steps'),
      'began=$SECONDS\nstep() { case "$1" in twice) shift;; timeout) shift 2;; esac; printf "step %s\\n" "$*"; }\nuse_postgres_in_memory() { :; }\n',
    );
    const told = execFileSync('bash', [join(folder, `.ci/${script}`), ...args], { encoding: 'utf8' });
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
  const steps = listSteps('run');
  expect(steps).toContain('npm run fuzz -- policy');
  expect(steps.filter((command) => !run.has(command))).toEqual([]);
});

describe('.ci/nightly', () => {
  const { jobs } = parse(readFileSync('.github/workflows/nightly.yml', 'utf8')) as {
    jobs: { nightly: { strategy: { matrix: { part: string[] } } } };
  };
  const { part: parts } = jobs.nightly.strategy.matrix;
  const steps = parts.map((part) => listSteps('nightly', part));
  /** In every part. */
  const prepares = ['scripts/install-tools', 'npm ci', 'npm run console'];

  it('refuses a part that it does not have, and names its parts: those of the workflow', () => {
    const { status, stderr } = spawnSync('bash', ['.ci/nightly', 'everything'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain(`The parts are ${parts.join(' ')}.`);
  });

  it('has steps in each part, and each step in one part', () => {
    const own = steps.map((some) => some.filter((command) => !prepares.includes(command)));
    expect(own.filter((some) => some.length === 0)).toEqual([]);
    expect(own.flat().filter((command, index, all) => all.indexOf(command) < index)).toEqual([]);
  });

  it('runs every scenario of chaos', () => {
    const run = steps
      .flat()
      .flatMap((command) => /^npm run chaos -- ([a-z -]+)/.exec(command)?.[1]?.split(' ') ?? []);
    // A Patroni that hangs for minutes: a measurement, for those who ask.
    const left = Object.keys(scenarios).filter((name) => name !== 'patroni-frozen' && !run.includes(name));
    expect(left).toEqual([]);
  });
});

describe('the last table', () => {
  it('counts retries with their steps, and what the suites skipped or retried', () => {
    const told = tellTable(`
      step echo '3 passed, 0 failed, 1 skipped, 12 not judged'
      step printf 'x\\n4 passed, 0 failed, 1 not judged, 2 retried, 5 late\\ny\\n'
      step twice npm_terminal
      step true
      step echo 'no closing line: 7 skipped'`);
    expect(told).toMatch(
      /^== 5 steps in \d+ s; second tries: 1 \(npm_terminal\); not judged: 13; skipped: 3; retried: 2; late: 5$/m,
    );
  });

  it('names no step where no step was retried', () => {
    expect(tellTable("step echo '3 passed, 0 failed'")).toMatch(
      /^== 1 steps in \d+ s; second tries: 0; not judged: 0; skipped: 0; retried: 0; late: 0$/m,
    );
  });

  it('counts a step that failed twice', () => {
    expect(tellTable('step twice false')).toMatch(/; second tries: 1 \(false\);/);
  });
});

/** What a run of these steps prints. The first try of `npm_terminal` fails, and its closing line does not count. */
function tellTable(steps: string): string {
  const script = `source .ci/steps
    calls=0
    npm_terminal() {
      calls=$((calls + 1))
      if [ $calls = 1 ]; then echo '1 passed, 1 failed, 40 skipped'; return 1; fi
      echo '2 passed, 0 failed, 2 skipped'
    }
    ${steps}`;
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout;
}
