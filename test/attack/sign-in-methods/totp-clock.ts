// Codes of an authenticator app by the clock of this machine, which the services under test share.
import { setTimeout as sleep } from 'node:timers/promises';
import { codeAt as codeOfStep, stepAt } from '../../../packages/server/src/sign-in/mfa/totp/totp.ts';

const stepMilliseconds = 30_000;

/** Of the step that is so many after this one. That `oathtool` says the same is held elsewhere. */
export function codeAt(secret: Buffer, steps = 0): string {
  return codeOfStep(secret, stepAt(Date.now()) + steps);
}

/** Of none of the steps that could be meant, and of six digits. */
export function wrongCode(secret: Buffer): string {
  const near = new Set([-3, -2, -1, 0, 1, 2, 3].map((steps) => codeAt(secret, steps)));
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
      (code) => !near.has(code),
    ) ?? ''
  );
}

/** Does the work within one step: again, on something new, where the step changed meanwhile. */
export async function withinStep<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const left = stepMilliseconds - (Date.now() % stepMilliseconds);
    if (left < 3000) await sleep(left + 50);
    const step = stepAt(Date.now());
    const result = await work();
    if (stepAt(Date.now()) === step) return result;
  }
}
