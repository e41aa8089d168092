// Every advisory's attack, sent to a running service: refused as it should be, and no handler entered.
import { beforeAll, describe, expect, it } from 'vitest';
import { expectSuccess } from '../conformance/expect-refusal.ts';
import type { Answer } from '../rig/http-client.ts';
import type { RawAnswer } from '../rig/raw-socket.ts';
import { useService } from '../rig/use-service.ts';
import {
  type Advisory,
  type Attack,
  createWorld,
  refusals,
  type World,
  withToken,
} from './advisories/advisory.ts';
import { listedOrigin } from './advisories/carriers.ts';
import { allowedFailures } from './advisories/logins.ts';
import { advisories } from './advisories.ts';

const service = useService({
  mode: 'prod',
  settings: {
    APPLICATION_ALLOWED_ORIGINS: JSON.stringify([listedOrigin]),
    THROTTLE_FAILURES_BEFORE_DELAY: String(allowedFailures),
  },
});
let world: World;

// A list that has lost a row, and a service that refuses everybody, would show nothing.
beforeAll(async () => {
  expect(new Set(advisories.map(({ id }) => id)).size).toBe(advisories.length);
  expect(new Set(advisories.map(({ row }) => row))).toEqual(rows);
  expect(advisories.length).toBeGreaterThanOrEqual(60);
  world = await createWorld(service());
  const entries = await service().countEntries();
  expectSuccess(await service().send(withToken(world.ada)));
  expect(await service().countEntries()).toBe(entries + 1);
});

const rows = new Set<string>();
/** The advisories of a row. */
function of(row: string): readonly Advisory[] {
  rows.add(row);
  return advisories.filter((advisory) => advisory.row === row);
}

function send(attack: Attack): Promise<Answer | RawAnswer> {
  return typeof attack === 'string'
    ? service().raw(Buffer.from(attack, 'latin1'), { untilClosed: true })
    : service().send(attack);
}

async function expectRefused({ attack, answer }: Advisory): Promise<void> {
  const prepared = await attack(world);
  const entries = await service().countEntries();
  const { status, headers, body } = await send(prepared);
  const [dueStatus, code] = refusals[answer];
  expect([status, body]).toStrictEqual([dueStatus, { code, msg: expect.stringMatching(/\S/) }]);
  expect(headers['x-auth-reason']).toBe(dueStatus === 200 ? answer : undefined);
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(headers).not.toHaveProperty('set-cookie');
  expect(await service().countEntries(), 'handlers entered').toBe(entries);
}

describe('what another product let through is refused', () => {
  it.each(of('T01'))('T01 $id $product: $what', expectRefused);
  it.each(of('T02'))('T02 $id $product: $what', expectRefused);
  it.each(of('T03'))('T03 $id $product: $what', expectRefused);
  it.each(of('T05'))('T05 $id $product: $what', expectRefused);
  it.each(of('T06'))('T06 $id $product: $what', expectRefused);
  it.each(of('T07'))('T07 $id $product: $what', expectRefused);
  it.each(of('T08'))('T08 $id $product: $what', expectRefused);
  it.each(of('T09'))('T09 $id $product: $what', expectRefused);
  it.each(of('T12'))('T12 $id $product: $what', expectRefused);
  it.each(of('T15'))('T15 $id $product: $what', expectRefused);
  it.each(of('T19'))('T19 $id $product: $what', expectRefused);
  it.each(of('T20'))('T20 $id $product: $what', expectRefused);
  it.each(of('T21'))('T21 $id $product: $what', expectRefused);
  it.each(of('T23'))('T23 $id $product: $what', expectRefused);
  it.each(of('T24'))('T24 $id $product: $what', expectRefused);
  it.each(of('T25'))('T25 $id $product: $what', expectRefused);
  it.each(of('T27'))('T27 $id $product: $what', expectRefused);
  it.each(of('T28'))('T28 $id $product: $what', expectRefused);
  it.each(of('T34'))('T34 $id $product: $what', expectRefused);
  it.each(of('T35'))('T35 $id $product: $what', expectRefused);
  it.each(of('T36'))('T36 $id $product: $what', expectRefused);
  it.each(of('T37'))('T37 $id $product: $what', expectRefused);
  it.each(of('T38'))('T38 $id $product: $what', expectRefused);
  it.each(of('T39'))('T39 $id $product: $what', expectRefused);
  it.each(of('T40'))('T40 $id $product: $what', expectRefused);
  it.each(of('T41'))('T41 $id $product: $what', expectRefused);
  it.each(of('T42'))('T42 $id $product: $what', expectRefused);
  it.each(of('T43'))('T43 $id $product: $what', expectRefused);
  it.each(of('T44'))('T44 $id $product: $what', expectRefused);
  it.each(of('T45'))('T45 $id $product: $what', expectRefused);
  it.each(of('T46'))('T46 $id $product: $what', expectRefused);
  it.each(of('T48'))('T48 $id $product: $what', expectRefused);
  it.each(of('T50'))('T50 $id $product: $what', expectRefused);
  it.each(of('T52'))('T52 $id $product: $what', expectRefused);
  it.each(of('T57'))('T57 $id $product: $what', expectRefused);
  it.each(of('T58'))('T58 $id $product: $what', expectRefused);
  it.each(of('T61'))('T61 $id $product: $what', expectRefused);
  it.each(of('T63'))('T63 $id $product: $what', expectRefused);
  it.each(of('T66'))('T66 $id $product: $what', expectRefused);
  it.each(of('T73'))('T73 $id $product: $what', expectRefused);
  it.each(of('T74'))('T74 $id $product: $what', expectRefused);
  it.each(of('T77'))('T77 $id $product: $what', expectRefused);
  it.each(of('T81'))('T81 $id $product: $what', expectRefused);
  it.each(of('T82'))('T82 $id $product: $what', expectRefused);
});
