// One race: everybody starts while the call is on its way to its commit, and what anybody got is shown to every instance from the
// moment on that the call has returned.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import type { Answer } from '../../rig/http-client.ts';
import { bearer, type Cluster, decisionOf } from '../start-cluster.ts';
import type { Race, Racer } from './races.ts';

export interface Counts {
  /** Answered, with a token or with a refusal that is about the proof. */
  answered: number;
  /** Got a token before the call returned. */
  early: number;
  /** Of them, those that prove too little. */
  close: number;
  /** Got one afterwards. */
  late: number;
  refused: number;
  /** Of those that prove enough: let in. */
  kept: number;
  /** Weaker, and taken by an instance after the call had returned. */
  accepted: number;
}

export const createCounts = (): Counts => ({
  answered: 0,
  early: 0,
  close: 0,
  late: 0,
  refused: 0,
  kept: 0,
  accepted: 0,
});

/** Whether some that prove too little got a token before the call returned, and others were refused: otherwise there was no race. */
export const wereClose = ({ close, refused }: Counts) => close > 0 && refused > 0;

const shortest = 20;
const longest = 500;
/** Of logins that raced: what they may be told beside a token. */
const refusals = new Set(['factor_required', 'credentials_wrong', 'captcha_wrong', 'params_invalid']);

/** Runs one race; the sightings that must not be. `spread` is how far apart they start at most, in milliseconds. */
export async function runRace(
  { instances }: Pick<Cluster, 'instances'>,
  random: Random,
  { racers, take, tokens = [], restore }: Race,
  { counts, spread }: { readonly counts: Counts; readonly spread: number },
): Promise<{ sightings: string[]; milliseconds: number }> {
  const sightings: string[] = [];
  const start = () => sleep(random.below(Math.ceil(Math.min(longest, Math.max(shortest, spread)))));
  const returned = Promise.withResolvers<void>();
  let hasReturned = false;

  async function whoTakes(token: string): Promise<number> {
    const request = { path: '/api/v1/orders', headers: bearer(token) };
    const decisions = await Promise.all(instances.map((instance) => decisionOf(instance, request)));
    return decisions.filter((decision) => decision === 'allowed').length;
  }

  async function race({ name, isWeaker, logIn }: Racer): Promise<void> {
    await start();
    const answer = await logIn(random.pick(instances)).catch(undefinedWhereBroken);
    const isLate = hasReturned;
    const token = answer?.body.token;
    if (typeof token !== 'string') {
      if (!refusals.has(String(answer?.headers['x-auth-reason']))) return;
      counts.answered += 1;
      counts.refused += 1;
      if (!isWeaker) sightings.push(`${name}: refused, though it proves enough: ${answer?.text}`);
      return;
    }
    counts.answered += 1;
    counts[isLate ? 'late' : 'early'] += 1;
    if (isWeaker && !isLate) counts.close += 1;
    await returned.promise;
    const taking = await whoTakes(token);
    if (isWeaker && taking > 0) {
      counts.accepted += 1;
      const when = isLate ? 'after' : 'before';
      sightings.push(`${name}: answered ${when} the call returned, and ${taking} instances take its token`);
    }
    if (isWeaker) return;
    counts.kept += 1;
    if (taking < instances.length) sightings.push(`${name}: ${taking} instances take what proves enough`);
  }

  const racing = Promise.all(racers.map(race));
  // Looked at below.
  racing.catch(() => {});
  await start();
  const startedAt = performance.now();
  await take(random.pick(instances));
  const milliseconds = performance.now() - startedAt;
  hasReturned = true;
  returned.resolve();
  const taking = await Promise.all(tokens.map(whoTakes));
  const alive = taking.filter((count) => count > 0).length;
  if (alive > 0)
    sightings.push(`${alive} of ${tokens.length} older tokens are taken after the call returned`);
  await racing;
  await restore?.();
  return { sightings, milliseconds };
}

function undefinedWhereBroken(error: NodeJS.ErrnoException): Answer | undefined {
  if (error.code === undefined) throw error;
  return undefined;
}
