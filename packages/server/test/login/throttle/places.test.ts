import { describe, expect, it } from 'vitest';
import { createPlaces } from '../../../src/login/throttle/places.ts';

const refusal = { kind: 'rate_limited', retryAfterSeconds: 1 };
const forever = () => new Promise<void>(() => {});
const known = (index: number) => ({ network: `192.0.2.${index}`, isKnownNetwork: true });
const unknown = (index: number) => ({ network: `198.51.100.${index}`, isKnownNetwork: false });

describe('places', () => {
  it('are refused when all are taken, and the work is not begun', async () => {
    const places = createPlaces(4);
    for (let index = 0; index < 4; index += 1) void places.hold(unknown(index), forever);
    let begun = false;
    const work = async () => {
      begun = true;
    };
    await expect(places.hold(unknown(9), work)).rejects.toMatchObject(refusal);
    expect(begun).toBe(false);
  });

  it('of known networks are not taken by the others', async () => {
    const places = createPlaces(4);
    for (let index = 0; index < 4; index += 1) void places.hold(unknown(index), forever);
    expect(await places.hold(known(1), async () => 'served')).toBe('served');
  });

  it('are refused to a network that has half of them', async () => {
    const places = createPlaces(4);
    void places.hold(known(1), forever);
    void places.hold(known(1), forever);
    await expect(places.hold(known(1), forever)).rejects.toMatchObject(refusal);
    expect(await places.hold(known(2), async () => 'served')).toBe('served');
  });

  it('are free again when the work is done, or has failed', async () => {
    const places = createPlaces(2);
    for (let round = 0; round < 10; round += 1) {
      await places.hold(known(1), async () => {});
      await expect(places.hold(known(1), () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    }
    expect(await places.hold(known(1), async () => 'served')).toBe('served');
  });
});
