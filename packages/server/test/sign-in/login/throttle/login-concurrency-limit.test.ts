import { describe, expect, it } from 'vitest';
import { createLoginConcurrencyLimit } from '../../../../src/sign-in/login/throttle/login-concurrency-limit.ts';

const refusal = { kind: 'rate_limited', retryAfterSeconds: 1 };
const forever = () => new Promise<void>(() => {});
const known = (index: number) => ({ network: `192.0.2.${index}`, isKnownNetwork: true });
const unknown = (index: number) => ({ network: `198.51.100.${index}`, isKnownNetwork: false });

describe('slots', () => {
  it('are refused when all are taken, and the work is not begun', async () => {
    const slots = createLoginConcurrencyLimit(4);
    for (let index = 0; index < 4; index += 1) void slots.run(unknown(index), forever);
    let begun = false;
    const work = async () => {
      begun = true;
    };
    await expect(slots.run(unknown(9), work)).rejects.toMatchObject(refusal);
    expect(begun).toBe(false);
  });

  it('of known networks are not taken by the others', async () => {
    const slots = createLoginConcurrencyLimit(4);
    for (let index = 0; index < 4; index += 1) void slots.run(unknown(index), forever);
    expect(await slots.run(known(1), async () => 'served')).toBe('served');
  });

  it('are refused to a network that has half of them', async () => {
    const slots = createLoginConcurrencyLimit(4);
    void slots.run(known(1), forever);
    void slots.run(known(1), forever);
    await expect(slots.run(known(1), async () => {})).rejects.toMatchObject(refusal);
    expect(await slots.run(known(2), async () => 'served')).toBe('served');
  });

  it('are refused to a person with four, however many are free', async () => {
    const slots = createLoginConcurrencyLimit(100);
    const mei = { network: 'device of mei', isKnownNetwork: true, isOnePerson: true as const };
    for (let index = 0; index < 4; index += 1) void slots.run(mei, forever);
    await expect(slots.run(mei, async () => {})).rejects.toMatchObject(refusal);
    expect(await slots.run({ ...mei, network: 'device of ada' }, async () => 'served')).toBe('served');
  });

  it('are free again when the work is done, or has failed', async () => {
    const slots = createLoginConcurrencyLimit(2);
    for (let round = 0; round < 10; round += 1) {
      await slots.run(known(1), async () => {});
      await expect(slots.run(known(1), () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    }
    expect(await slots.run(known(1), async () => 'served')).toBe('served');
  });
});
