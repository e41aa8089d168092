// `npm create portcullis` from its tarball, in empty folders: from the command to an explained refusal of a service of one's
// own, in each framework; then the rule is given and taken, and Ctrl-C leaves nothing behind.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { launchChromium } from '../browser/launch-chromium.ts';
import { judgesTimes } from '../rig/judges-times.ts';
import { note } from '../rig/notes.ts';
import { isGroupRunning } from '../rig/process-group.ts';
import type { PackedPackages } from './install-package.ts';

type Check = (title: string, isSo: boolean, seen?: string) => void;

const run = promisify(execFile);
export const createBarSeconds = 60;
const patienceMilliseconds = 300_000;
const sentence =
  'The role "clerk" may not call DELETE /stock/items/1. Its rule GET /stock/items/:id comes nearest: the method is DELETE where the rule has GET.';

/** Before every change the first two, at night and by hand all of them. */
const all = [['express'], ['hono', '--front-end'], ['fastify'], ['nest']] as const;

interface Created {
  readonly output: string;
  readonly project: string;
  readonly milliseconds: number;
  interrupt(): Promise<void>;
}

export async function checkCreate(
  check: Check,
  packed: PackedPackages,
  homeAt: (folder: string) => Record<string, string>,
  isWithin: (milliseconds: number, mostSeconds: number) => boolean,
): Promise<void> {
  const chosen = judgesTimes ? all : all.slice(0, 2);
  for (const [framework] of all.slice(chosen.length)) note('skipped', `a new project in ${framework}`);
  for (const [framework, ...more] of chosen) {
    const turns: number[] = [];
    for (;;) {
      const folder = await mkdtemp(join(tmpdir(), 'portcullis-create-'));
      const created = await create(packed, folder, homeAt(folder), ['--framework', framework, ...more]);
      try {
        turns.push(created.milliseconds);
        // The first turn may have had to fetch what npm's cache lacked, and that is not what is judged.
        const isSoon = isWithin(Math.min(...turns), createBarSeconds);
        if (!isSoon && turns.length < 3) {
          // One for each framework.
          note('retried', 'the time of npm create', chosen.length);
          continue;
        }
        const seen = turns.map((turn) => `${(turn / 1000).toFixed(1)} s`).join(', ');
        check(
          `${framework}: a refusal is explained within ${createBarSeconds} s of npm create`,
          isSoon,
          seen,
        );
        await checkProject(check, framework, created);
      } finally {
        await created.interrupt();
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      }
      break;
    }
  }
}

async function create(
  { packs, fileOf }: PackedPackages,
  folder: string,
  home: Record<string, string>,
  options: readonly string[],
): Promise<Created> {
  const env = {
    ...process.env,
    ...home,
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
    // As some shells have it: npm would leave out what builds the page.
    NODE_ENV: 'production',
  };
  const words = ['exec', '--yes', `--package=${fileOf('create-portcullis')}`, '--', 'create-portcullis'];
  const startedAt = performance.now();
  const child = spawn('npm', [...words, 'stock', '--packages', packs, ...options], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid: group } = child;
  if (group === undefined) throw new Error('There is no npm.');
  const kill = () => isGroupRunning(group) && process.kill(-group, 'SIGKILL');
  process.once('exit', kill);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const giveUpAt = startedAt + patienceMilliseconds;
  while (!output.includes('Ctrl-C ends all of it')) {
    if (child.exitCode !== null || performance.now() > giveUpAt)
      throw new Error(`It was not started:\n${output}`);
    await sleep(50);
  }
  return {
    output,
    project: join(folder, 'stock'),
    milliseconds: performance.now() - startedAt,
    async interrupt() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      if (isGroupRunning(group)) process.kill(-group, 'SIGINT');
      await ended;
      const until = performance.now() + 10_000;
      while (isGroupRunning(group) && performance.now() < until) await sleep(20);
      const isLeft = isGroupRunning(group);
      kill();
      process.off('exit', kill);
      if (isLeft) throw new Error('Something goes on after Ctrl-C.');
    },
  };
}

async function checkProject(check: Check, framework: string, { output, project }: Created): Promise<void> {
  const isAllowed = output.includes('allowed: 3 items');
  check(`${framework}: one call is allowed`, isAllowed, isAllowed ? '' : output);
  check(`${framework}: one is refused`, /DELETE \/stock\/items\/1 +refused: Your role may not/.test(output));
  check(`${framework}: it says why`, output.includes(sentence));
  const find = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
  const [service, portcullis] = [find(/Your service is (\S+),/), find(/Console +(\S+)\/console\//)];
  const password = find(/clara +(\S+) +the clerk/);
  const body = JSON.stringify({ username: 'clara', password });
  const headers = { 'content-type': 'application/json' };
  const login = await fetch(`${portcullis}/api/v1/login`, { method: 'POST', headers, body });
  const { token } = (await login.json()) as { token: string };
  const remove = async (id: number, given: Record<string, string>) => {
    const answer = await fetch(`${service}/stock/items/${id}`, { method: 'DELETE', headers: given });
    return ((await answer.json()) as { code: number }).code;
  };
  const authorization = { authorization: `Bearer ${token}` };
  check(`${framework}: a call without a token is refused`, (await remove(1, {})) === 401);
  const rules = (what: string) =>
    run(
      'npx',
      ['portcullis', 'rules', what, 'clerk', 'DELETE', '/stock/items/:id', '--config', 'secrets/demo.yaml'],
      {
        cwd: project,
      },
    );
  await rules('grant');
  // A change that only grants does not wait.
  const until = performance.now() + 30_000;
  let code = await remove(1, authorization);
  while (code !== 200 && performance.now() < until) {
    await sleep(50);
    code = await remove(1, authorization);
  }
  check(`${framework}: with the rule that it names, it is allowed`, code === 200, String(code));
  await rules('revoke');
  check(
    `${framework}: once that is taken away, the next call is refused`,
    (await remove(2, authorization)) === 401,
  );
  const page = find(/Page +(\S+)/);
  if (page !== '') await checkPage(check, page, password);
}

async function checkPage(check: Check, address: string, password: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.getByLabel('Username').fill('clara');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Remove Chair' }).click();
    const alert = page.getByRole('alert').filter({ hasText: /Your role may not/ });
    const isTold = await alert.waitFor().then(
      () => true,
      () => false,
    );
    check('its page signs in, lists, and shows what is refused', isTold);
  } finally {
    await browser.close();
  }
}
