// Denied: HTTP 200, exactly code 401 and a message, and no handler entered, by the handlers' own count. An honest token
// passes afterwards, so that a service which refuses everything fails too.
import { expect } from 'vitest';
import { expectRefusalBody, expectSuccess } from '../../conformance/expect-refusal.ts';
import { type Carrier, carriers, present } from '../../rig/carriers.ts';
import { createHttpClient } from '../../rig/http-client.ts';
import type { Service } from '../../rig/start-service.ts';
import type { Forgery } from './forge.ts';

/** Entered only by a caller who passes as an administrator. */
export const orders = { path: '/api/v1/orders' };
const atOnce = 100;

/** The service itself, or another instance of it. */
type Instance = Pick<Service, 'send' | 'countEntries' | 'tokenOf'>;

export async function expectAllDenied(
  service: Instance,
  forgeries: readonly Forgery[],
  by: readonly Carrier[] = carriers,
): Promise<void> {
  const attempts = forgeries.flatMap(({ name, token }) => by.map((carrier) => ({ name, token, carrier })));
  const entries = await service.countEntries();
  const passed: string[] = [];
  for (let start = 0; start < attempts.length; start += atOnce)
    await Promise.all(
      attempts.slice(start, start + atOnce).map(async ({ name, token, carrier }) => {
        const answer = await service.send(present(token, carrier, orders));
        if (!isRefusal(answer)) passed.push(`${name} (${carrier}): ${answer.status} ${answer.text}`);
      }),
    );
  expect(passed, 'not denied').toEqual([]);
  expect(await service.countEntries(), 'handlers entered').toBe(entries);
  expectSuccess(await service.send(present(await service.tokenOf('ada'), 'header', orders)));
  expect(await service.countEntries(), 'handlers entered by an honest token').toBe(entries + 1);
}

function isRefusal(answer: Parameters<typeof expectRefusalBody>[0]): boolean {
  try {
    expectRefusalBody(answer);
    return true;
  } catch {
    return false;
  }
}

/** Another server on the same database, as the service that its tokens are from. */
export function instanceAt(port: number, { tokenOf }: Service): Instance & { close(): void } {
  const { send, close } = createHttpClient(port);
  return {
    send,
    close,
    tokenOf,
    async countEntries() {
      const { body } = await send({ path: '/api/v1/entries' });
      return (body.data as { entries: number }).entries;
    },
  };
}
