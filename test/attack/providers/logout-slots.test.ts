// Threats, logout tokens that no provider made: while the keys of the provider load slowly, they keep out none that it made.
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { expectAttackFails } from '../../weaknesses/attack.ts';
import { outcomeOf, useOidcWorld } from '../directories/oidc-world.ts';
import { patience } from './postgres-client.ts';

const world = await useOidcWorld({ LIMIT_REQUESTS_PER_SECOND: '200', LIMIT_BURST: '400' });
/** More than there are slots. */
const crowd = 40;

it('T297 returns 200 for a genuine logout token while made-up ones hold every slot of the provider', async () => {
  const { first, addLinked, signIn, sendLogout, isAlive } = world();
  const { subject } = await addLinked();
  const session = await signIn(subject);
  expect(outcomeOf(session)).toBe('in');
  const held: (() => void)[] = [];
  const answerAll = () => {
    first.made.instead = undefined;
    for (const answer of held.splice(0)) answer();
  };
  onTestFinished(answerAll);
  first.made.instead = (request, response) => {
    if (request.url === '/keys') held.push(() => first.made.answerRequest(request, response));
    else first.made.answerRequest(request, response);
  };
  const genuine = await first.made.logoutToken({ sub: subject });
  const statuses: number[] = [];
  const sent: Promise<unknown>[] = [];
  const sendMadeUp = async () => {
    const kid = randomBytes(4).toString('hex');
    const token = await first.made.logoutToken({ sub: subject }, { kid });
    sent.push(sendLogout(token).then((status) => statuses.push(status)));
  };
  // The keys are asked for at most once a second.
  await expect
    .poll(async () => {
      if (held.length === 0) await sendMadeUp();
      return held.length;
    }, patience)
    .toBe(1);
  for (let count = 0; count < crowd; count += 1) await sendMadeUp();
  await expect
    .poll(async () => {
      await sendMadeUp();
      return statuses.includes(429);
    }, patience)
    .toBe(true);
  expectAttackFails(await sendLogout(genuine), { success: 429, failure: 200 });
  expect(await isAlive(session)).toBe(false);
  answerAll();
  await Promise.all(sent);
  expect(statuses).not.toContain(200);
});
