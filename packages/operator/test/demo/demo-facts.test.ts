// What the demo says of itself, without starting it.

import { parseOpenApi } from '@portcullis/server/permissions/catalog/open-api/parse-open-api.ts';
import { expect, it } from 'vitest';
import { startTcpProxy } from '../../../../test/rig/tcp-proxy.ts';
import { endpointCount, people, roles, services } from '../../src/demo/company.ts';
import { createDemoFacts } from '../../src/demo/demo-facts.ts';
import { findFreePort } from '../../src/demo/find-free-port.ts';
import { boxColumns, formatBox } from '../../src/demo/format-box.ts';
import { createOrders } from '../../src/demo/orders.ts';
import { createPastLogins } from '../../src/demo/past-logins.ts';

const facts = createDemoFacts({
  address: 'http://127.0.0.1:65535',
  passwords: { administrator: 'a'.repeat(20), others: 'b'.repeat(20) },
  settingsFile: '/tmp/portcullis-demo-abcdef/portcullis.yaml',
});

it('the box has no line of more than 80 columns', () => {
  const lines = formatBox(facts).split('\n');
  expect(lines.filter((line) => line.length > boxColumns)).toEqual([]);
});

it('the box has every command as it is', () => {
  const box = formatBox(facts).replaceAll('\n  ', '\n');
  expect(facts.commands.filter(({ command }) => !box.includes(`\n${command}\n`))).toEqual([]);
});

it('there are as many endpoints as the box says, and four roles', () => {
  const imported = services.map(({ document }) => parseOpenApi(document, {}));
  const counts = imported.map((parsed) => ('routes' in parsed ? parsed.routes.length : 0));
  expect(createOrders().length + counts.reduce((sum, count) => sum + count, 0)).toBe(endpointCount);
  expect(roles.map(({ key }) => key)).toEqual(['admin', 'manager', 'clerk', 'auditor']);
});

it('past logins are of two weeks, in order and never of the future, whatever the day', () => {
  const day = 86_400_000;
  for (let now = Date.UTC(2026, 1, 25, 3); now < Date.UTC(2026, 2, 7); now += day) {
    const past = createPastLogins({ now, random: Math.random, randomUuid: () => 'u' });
    const times = past.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(now);
    expect(times[0]).toBeGreaterThan(now - 14 * day);
    expect(times[0]).toBeLessThan(now - 12 * day);
    expect(new Set(past.map(({ attempt }) => attempt.reason))).toEqual(
      new Set(['ok', 'credentials_wrong', 'user_disabled']),
    );
  }
  expect(people.length).toBe(12);
});

it.each([
  ['no login at the weekend, and only correct ones on other days', 0.99, false, ['ok', 'user_disabled']],
  ['everybody every day, and wrong', 0, true, ['credentials_wrong', 'user_disabled']],
])('past logins are of %s, where chance says so', (_what, chance, isAtWeekends, reasons) => {
  const now = Date.UTC(2026, 1, 25, 3);
  const past = createPastLogins({ now, random: () => chance, randomUuid: () => 'u' });
  const [office, others] = [true, false].map((isOffice) =>
    past.filter(({ attempt }) => String(attempt.ip).startsWith('192.0.2.') === isOffice),
  );
  const isWeekend = ({ at }: { at: number }) => [0, 6].includes(new Date(at).getUTCDay());
  expect(office?.some(isWeekend)).toBe(isAtWeekends);
  expect([...new Set(office?.map(({ attempt }) => attempt.reason))].toSorted()).toEqual(reasons);
  for (const { attempt } of past) {
    const person = people.find(({ username }) => username === attempt.username);
    expect(attempt.userId).toBe(person?.id);
    expect(attempt.reason === 'user_disabled').toBe(person?.isEnabled === false);
    expect(attempt.jti).toBe(attempt.outcome === 'success' ? 'u' : undefined);
  }
  expect(others).toHaveLength(60);
});

it('takes no port that is taken', async () => {
  // A port that the kernel gives to no connection, so that it is free again behind its holder.
  const { port, close } = await startTcpProxy({ port: 1 });
  expect(await findFreePort(port, false)).toBeUndefined();
  expect(await findFreePort(port, true)).not.toBe(port);
  await close();
  expect(await findFreePort(port, false)).toBe(port);
});
