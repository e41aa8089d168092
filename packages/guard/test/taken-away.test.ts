// What is taken away is gone for the guard when the call that takes it returns: the next decision refuses, with no wait in
// between. Every one is allowed a moment before, so that the guard knows the token already.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { decodeToken } from '../../../test/rig/tokens.ts';
import { bearer, orders, outcome, startWorld, type World } from './world.ts';

/** As the rig seeds them. */
const clerk = { role: 2, user: 2 };

let world: World;
let token: string;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());
beforeEach(async () => {
  token = await world.logIn('carl');
  expect(await outcome(world.guard, orders(token))).toBe('allowed');
});

it('refuses a token whose logout has returned, ten times in a row', async () => {
  for (let round = 0; round < 10; round += 1) {
    const logout = { method: 'POST', path: '/api/v1/logout', headers: bearer(token) };
    const answer = await world.service.send(logout);
    const kind = await outcome(world.guard, orders(token));
    expect([answer.body.code, kind]).toEqual([200, 'token_revoked']);
    token = await world.logIn('carl');
    expect(await outcome(world.guard, orders(token))).toBe('allowed');
  }
});

it('refuses a session that an administrator has ended', async () => {
  await world.administer('DELETE', `/api/v1/sessions/${decodeToken(token).claims.jti}`);
  expect(await outcome(world.guard, orders(token))).toBe('token_revoked');
});

it('refuses a disabled user, and the old token also when the user is enabled again', async () => {
  await world.administer('PUT', `/api/v1/users/${clerk.user}/enabled`, { enabled: false });
  expect(await outcome(world.guard, orders(token))).toBe('token_revoked');
  await world.administer('PUT', `/api/v1/users/${clerk.user}/enabled`, { enabled: true });
  expect(await outcome(world.guard, orders(token))).toBe('token_revoked');
});

it('refuses a role whose rule was removed, and allows it when the rule is back', async () => {
  const rule = { method: 'GET', path: '/api/v1/orders' };
  await world.administer('POST', `/api/v1/roles/${clerk.role}/rules`, { remove: [rule] });
  expect(await outcome(world.guard, orders(token))).toBe('permission_denied');
  await world.administer('POST', `/api/v1/roles/${clerk.role}/rules`, { add: [rule] });
  // A change that only gives access waits for no member.
  await expect.poll(() => outcome(world.guard, orders(token))).toBe('allowed');
});

it('refuses a token with a data scope that its role has no more', async () => {
  await world.administer('PUT', `/api/v1/roles/${clerk.role}/data-scope`, { dataScope: '5' });
  expect(await outcome(world.guard, orders(token))).toBe('token_revoked');
});

it('refuses a disabled role', async () => {
  await world.administer('PUT', `/api/v1/roles/${clerk.role}/enabled`, { enabled: false });
  expect(await outcome(world.guard, orders(token))).toBe('token_revoked');
  await world.administer('PUT', `/api/v1/roles/${clerk.role}/enabled`, { enabled: true });
});

it('refuses the tokens of a key that was retired at once', async () => {
  const { kid } = decodeToken(token).header;
  const { body } = await world.administer('POST', '/api/v1/keys');
  const next = (body.data as { kid: string }).kid;
  await world.administer('POST', `/api/v1/keys/${next}/activate`);
  expect(await outcome(world.guard, orders(token)), 'the old key still verifies').toBe('allowed');
  await world.administer('POST', `/api/v1/keys/${kid}/emergency-retire`);
  expect(await outcome(world.guard, orders(token))).toBe('token_revoked');
  expect(await outcome(world.guard, orders(await world.logIn('carl')))).toBe('allowed');
});
