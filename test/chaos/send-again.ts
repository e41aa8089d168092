// What a scenario sends outlives a machine that stands still: an instance whose lease ran out meanwhile says 503, or its
// line breaks, and what may be repeated is sent again, which the closing line counts. The last answer is judged. The count has
// no bound: scenarios that cut Postgres or kill instances have thousands of such answers, as they should.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../rig/http-client.ts';
import { note } from '../rig/notes.ts';

/** Only a hang lasts so long. */
export const patienceMilliseconds = 300_000;
const pauseMilliseconds = 20;

/** Asks until the answer says something. `what` is counted where it took more than one try. */
export async function askAgain<T>(
  ask: () => Promise<T>,
  saysNothing: (answer: T) => boolean,
  what = 'a request of a scenario that was answered with 503 or not at all',
): Promise<T> {
  let isNoted = false;
  for (const giveUpAt = performance.now() + patienceMilliseconds; ; await sleep(pauseMilliseconds)) {
    const answer = await ask();
    if (!saysNothing(answer)) return answer;
    // Once for all its tries, because a fault can last for long.
    if (!isNoted) note('retried', what);
    isNoted = true;
    if (performance.now() > giveUpAt)
      throw new Error('Waited for five minutes for an answer that says something.');
  }
}

/** For calls that may be repeated. `isRepeated`: what was sent before may have been done, whatever was answered. */
export async function sendAgain(
  send: () => Promise<Answer>,
): Promise<{ answer: Answer; isRepeated: boolean }> {
  let times = 0;
  const answer = await askAgain(
    () => {
      times += 1;
      return send().catch(undefinedWhereBroken);
    },
    (some) => some === undefined || some.status === 503,
  );
  if (answer === undefined) throw new Error('There is no answer.');
  return { answer, isRepeated: times > 1 };
}

function undefinedWhereBroken(error: NodeJS.ErrnoException): undefined {
  if (error.code === undefined) throw error;
  return undefined;
}
