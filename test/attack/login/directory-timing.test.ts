// Threat T282: whether the time of a refused login tells which names have an account here, where a directory verifies the others.
// A hash is dear here and the directory is fast: without a deadline the one takes several times as long as the other.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { isJudged } from '../../rig/judges-times.ts';
import { personEntry } from '../../rig/slapd.ts';
import { useDirectoryWorld } from '../directories/world.ts';
import { addPerson, outcomeOf } from '../sign-in-methods/people.ts';
import { size } from '../size.ts';

const rounds = size({ small: 7, full: 100 });
const failures = 4;
const world = useDirectoryWorld({
  settings: { HASH_PASSES: '8', THROTTLE_FAILURES_BEFORE_DELAY: String(failures) },
});
beforeAll(() => world().addProvider());

const newName = () => `u${randomBytes(8).toString('hex')}`;

/** Every name is used once. */
const names = {
  local: async () => (await addPerson(world().service.database)).username,
  unknown: async () => newName(),
  directory: async () => {
    const name = newName();
    await world().slapd.add(personEntry(name));
    return name;
  },
};

/** Of an attempt that waits for those before it at the same name, and is throttled when these have failed. */
async function timeOfWaiting(username: string): Promise<number> {
  const { solvedCaptcha, postLogin } = world().service;
  const captchas = [];
  for (let count = 0; count <= failures; count += 1) captchas.push(await solvedCaptcha());
  const startedAt = performance.now();
  const answers = await Promise.all(
    captchas.map(async (captcha) => {
      const outcome = outcomeOf(await postLogin({ username, password: 'wrong', ...captcha }));
      return { outcome, milliseconds: performance.now() - startedAt };
    }),
  );
  const throttled = answers.filter(({ outcome }) => outcome === 'rate_limited');
  expect(throttled).not.toEqual([]);
  // On a busy machine another one is turned away before its password is hashed, and sooner than this one.
  return Math.max(...throttled.map(({ milliseconds }) => milliseconds));
}

async function timeOf(username: string): Promise<number> {
  const startedAt = performance.now();
  expect(outcomeOf(await world().logIn(username, 'wrong'))).toBe('credentials_wrong');
  return performance.now() - startedAt;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

it.each([
  ['returns refusals of local names, unknown names and people of the directory in the same time', timeOf],
  ['throttles attempts that wait for others at such a name in the same time', timeOfWaiting],
])('T282 %s', async (_what, measure) => {
  const kinds = Object.values(names);
  // The first ones take the time limit of a directory, until it is measured.
  for (const name of [names.unknown, ...kinds]) await timeOf(await name());
  for (const name of kinds) await measure(await name());
  const times: number[][] = kinds.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, name] of kinds.entries()) times[index]?.push(await measure(await name()));
  const medians = times.map(median);
  console.log(`medians of ${rounds}: ${medians.map((time) => time.toFixed(1)).join(', ')} ms`);
  if (isJudged('the ratio of the times of refusals beside a directory'))
    expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.3);
});
