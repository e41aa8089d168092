// The steps of one guard, with their words.
import { type Action, addChain, createAction } from './action.ts';
import {
  ask,
  closeConnection,
  crashGuard,
  fetchFrom,
  grant,
  hearGrant,
  loseQuestion,
  noteLate,
  startGuard,
} from './guard-steps.ts';
import { tellEnforced, tellGrant, tellGuardLease } from './tell.ts';
import type { Guard, World } from './world.ts';

export function addGuard(all: Action[], world: World, guard: Guard): void {
  const name = `guard ${guard.index + 1}`;
  all.push(
    createAction(
      2,
      () => crashGuard(world, guard),
      () => `${name} dies`,
    ),
  );
  for (const member of world.members) {
    const other = `member ${member.index + 1}`;
    const start = createAction(
      8,
      () => startGuard(guard, member),
      () => `${name} starts and loads ${tellEnforced(guard)} from ${other}`,
    );
    const fetch = createAction(
      12,
      () => fetchFrom(guard, member),
      () => `${name} fetches from ${other} and enforces ${tellEnforced(guard)}`,
    );
    const close = createAction(
      4,
      () => closeConnection(world, guard, member),
      () => `the connection of ${name} to ${other} is closed`,
    );
    all.push(start, fetch, close);
    for (const question of guard.questions) {
      const send = createAction(
        12,
        () => ask(world, guard, question, member),
        () => `${name} asks ${other} for a lease on ${tellEnforced(guard)}`,
      );
      all.push(send);
      start.next ??= send;
      fetch.next ??= send;
    }
  }
  for (const question of guard.questions) {
    const give = createAction(
      24,
      () => grant(world, guard, question),
      () => `  it is answered: ${tellGrant(world, question)}`,
    );
    const hear = createAction(
      24,
      () => hearGrant(world, guard, question),
      () => `${name} hears the answer: ${tellGuardLease(world, guard)}`,
    );
    addChain(all, [give, hear]);
    all.push(
      createAction(
        4,
        () => loseQuestion(question),
        () => `${name} hears nothing of its question`,
      ),
    );
    if (!world.rules.grantNotedFirst)
      all.push(
        createAction(
          8,
          () => noteLate(world, guard, question),
          () => `what ${name} was given is noted`,
        ),
      );
  }
}
