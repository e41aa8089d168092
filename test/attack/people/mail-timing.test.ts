// Whether the time of asking for a link tells who has an account. Interleaved pairs in random order, every address used once. Its
// control is in test/weaknesses/mail.ts.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../../fuzz/random.ts';
import { createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { judgesTimes } from '../../rig/judges-times.ts';
import { type Mailbox, mailSettings, startMailbox } from '../../rig/mailbox.ts';
import { hashPassword, password } from '../../rig/seed.ts';
import { type Service, startService } from '../../rig/start-service.ts';
import { failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { size } from '../size.ts';
import { compareTimes } from '../timing/compare-times.ts';

const bars = { milliseconds: 0.5, auc: 0.52 };
const unlimited = { MAIL_RESET_LINKS_PER_NETWORK_PER_DAY: '1000000', MAIL_RESET_LINKS_PER_DAY: '1000000' };
const isProof = size({ small: 0, full: 1 }) === 1;
const pairs = size({ small: judgesTimes ? 200 : 20, full: 5000 });

let mailbox: Mailbox;
let service: Service;
let client: HttpClient;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startService({ mode: 'dev', settings: { ...mailSettings(mailbox), ...unlimited } });
  client = createHttpClient(service.server.port, { remembers: false, resends: true });
});
afterAll(async () => {
  client.close();
  await service.stop();
  await mailbox.stop();
});

const newAddresses = (count: number) =>
  Array.from({ length: count }, () => `u${randomBytes(8).toString('hex')}@example.com`);

async function addPeople(addresses: readonly string[], enabled: boolean): Promise<void> {
  await service.database.query(
    `insert into users (username, canonical_username, department_id, role_id, password_hash, enabled, mail)
     select split_part(address, '@', 1), split_part(address, '@', 1), departments.id, 5, $2, $3, address
     from departments, unnest($1::text[]) as address`,
    [addresses, await hashPassword(password, 1), enabled],
  );
}

async function timeOf(mail: string): Promise<number> {
  const startedAt = performance.now();
  const { body } = await client.send({ method: 'POST', path: '/api/v1/password/forgot', body: { mail } });
  const milliseconds = performance.now() - startedAt;
  expect(body.code).toBe(200);
  return milliseconds;
}

/** Unknown addresses beside known ones. */
async function compare(known: readonly string[]) {
  const random = new Random(1);
  const unknown = newAddresses(known.length);
  for (const address of newAddresses(20)) await timeOf(address);
  const times: [number, number][] = [];
  for (const [index, address] of known.entries()) {
    const other = unknown[index] ?? '';
    const isOtherFirst = random.once(2);
    const ofOther = isOtherFirst ? await timeOf(other) : 0;
    const ofKnown = await timeOf(address);
    times.push([isOtherFirst ? ofOther : await timeOf(other), ofKnown]);
  }
  const { interval99, auc } = compareTimes(times);
  const [low, high] = interval99;
  console.log(
    `${known.length} pairs: median difference ${low.toFixed(3)} to ${high.toFixed(3)} ms, AUC ${auc.toFixed(3)}`,
  );
  return { low, high, auc };
}

it.skipIf(!judgesTimes).each([
  ['an enabled account', true],
  ['a disabled one', false],
])(
  'T244 the time of asking for a link does not tell an unknown address from that of %s',
  async (_what, enabled) => {
    const known = newAddresses(pairs);
    await addPeople(known, enabled);
    const { low, high, auc } = await compare(known);
    failIfAttackSucceeded(low > bars.milliseconds && auc > 0.6, 'a known address takes longer');
    expect(isProof ? high : low).toBeLessThan(bars.milliseconds);
    expect(isProof ? low : high).toBeGreaterThan(-bars.milliseconds);
    if (isProof) expect(Math.abs(auc - 0.5)).toBeLessThan(bars.auc - 0.5);
  },
);
