// One service for all tests of a `describe`. When they are done, no answer but login's may have held a token.
// While the tests of one service run, the next of the file starts already: starting is most of the time. Controls run few tests of
// a file, and start what these need alone (PORTCULLIS_TEST_AHEAD=false).
import { afterAll, beforeAll, expect } from 'vitest';
import { type Service, type ServiceOptions, startService } from './start-service.ts';

interface Booking {
  readonly options: ServiceOptions;
  service: Promise<Service> | undefined;
}

/** Of the test file that runs. */
const bookings: Booking[] = [];

/** For the end of a test file: one that was started ahead for tests that did not run is stopped here. */
export async function stopServices(): Promise<void> {
  for (const { service } of bookings.splice(0)) await service?.then(({ stop }) => stop()).catch(() => {});
}

export function useService(options: ServiceOptions): () => Service {
  const booking: Booking = { options, service: undefined };
  bookings.push(booking);
  let running: Service | undefined;
  beforeAll(async () => {
    const starting = start(booking);
    const next = bookings[bookings.indexOf(booking) + 1];
    if (next !== undefined && process.env.PORTCULLIS_TEST_AHEAD !== 'false') start(next).catch(() => {});
    running = await starting;
  });
  afterAll(async () => {
    const leaked = await running?.findLeakedTokens();
    await running?.stop();
    expect(leaked ?? [], 'answers other than login that held a token').toEqual([]);
  });
  return () => {
    if (running === undefined) throw new Error('The service has not started yet.');
    return running;
  };
}

function start(booking: Booking): Promise<Service> {
  booking.service ??= startService(booking.options);
  return booking.service;
}
