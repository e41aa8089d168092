// Threats, texts that Postgres does not store and ids of nothing: the answer says so, and is no error of the service.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import { failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { outcomeOf, settingsOf, useOidcWorld } from '../directories/oidc-world.ts';

const world = await useOidcWorld();
/** An attack whose success is an error of the service. */
function expectAnswer({ body }: Answer, code: number): void {
  failIfAttackSucceeded(body.code === 500, 'the answer is an error of the service');
  expect(body.code).toBe(code);
}

const texts = ['a\u0000b', 'a\ud800b'];

describe('T296 a text that cannot be stored', () => {
  it.each(texts)('rejects a session id of the provider: %j', async (sid) => {
    const { addLinked, signIn, first } = world();
    const { subject } = await addLinked();
    const refused = await signIn(subject, {}, first, { sid });
    failIfAttackSucceeded(refused.body.code === 500, 'the answer is an error of the service');
    expect(outcomeOf(refused)).toBe('credentials_wrong');
    expect(outcomeOf(await signIn(subject, {}, first, { sid: 'a' }))).toBe('in');
  });

  it.each(texts)('keeps the other groups of a person where one is %j', async (group) => {
    const { service, addAnother, addLinked, signIn } = world();
    const at = await addAnother({}, { groupsClaim: 'groups' });
    const { subject, linkId } = await addLinked(at);
    expectAnswer(await signIn(subject, {}, at, { groups: [group, 'staff'] }), 200);
    const stored = await service.database.query('select groups from credentials where id = $1', [linkId]);
    expect(stored).toEqual([{ groups: ['staff'] }]);
  });

  it.each(texts)('rejects settings of a provider, new or changed: %j', async (text) => {
    const { addAnother, tryByAdmin } = world();
    const at = await addAnother();
    const key = `a${randomBytes(6).toString('hex')}`;
    const body = { key, kind: 'oidc', name: key };
    for (const more of [{ clientId: text }, { tenant: { claim: 'tid', value: text } }]) {
      const settings = settingsOf(at.made, key, more);
      expectAnswer(await tryByAdmin('POST', '/providers', { ...body, settings }), 400);
      const changed = { settings: settingsOf(at.made, at.key, more) };
      expectAnswer(await tryByAdmin('PUT', `/providers/${at.id}`, changed), 400);
    }
  });

  it.each(texts)('rejects a group of a mapping: %j', async (group) => {
    const { addAnother, tryByAdmin } = world();
    const { id } = await addAnother({}, { groupsClaim: 'groups' });
    const wish = { roleSource: 'every_login', mappings: [{ group, roleId: 5, departmentId: null }] };
    const planned = await tryByAdmin('POST', `/providers/${id}/mappings/plan`, wish);
    const { digest = 'x'.repeat(64) } = (planned.body.data ?? {}) as { digest?: string };
    expectAnswer(await tryByAdmin('PUT', `/providers/${id}/mappings`, { ...wish, digest }), 400);
  });
});

describe('T296 a role or a department that does not exist', () => {
  const none = 999_999;
  it.each([
    ['role', { roleId: none, departmentId: 1 }],
    ['department', { roleId: 5, departmentId: none }],
  ])('rejects a provider with the %s, new or changed', async (_what, place) => {
    const { addAnother, tryByAdmin } = world();
    const at = await addAnother();
    const key = `a${randomBytes(6).toString('hex')}`;
    const body = { key, kind: 'oidc', name: key, settings: settingsOf(at.made, key) };
    expectAnswer(await tryByAdmin('POST', '/providers', { ...body, ...place }), 404);
    expectAnswer(await tryByAdmin('PUT', `/providers/${at.id}`, place), 404);
  });

  it.each([
    ['role', { roleId: none, departmentId: null }],
    ['department', { roleId: 5, departmentId: none }],
  ])('rejects a mapping to the %s', async (_what, place) => {
    const { addAnother, tryByAdmin } = world();
    const { id } = await addAnother({}, { groupsClaim: 'groups' });
    const wish = { roleSource: 'every_login', mappings: [{ group: 'staff', ...place }] };
    const planned = await tryByAdmin('POST', `/providers/${id}/mappings/plan`, wish);
    const { digest = 'x'.repeat(64) } = (planned.body.data ?? {}) as { digest?: string };
    expectAnswer(await tryByAdmin('PUT', `/providers/${id}/mappings`, { ...wish, digest }), 404);
  });
});
