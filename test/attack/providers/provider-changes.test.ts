// Threats, the company's directory: administrators who change a provider. Nothing of a revoked administrator is stored after the
// revoking call returned, a stored secret is sent only to the address that it was given with, and no link leads to another person.
import { randomBytes } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { outcomeOf, type StoredProvider, settingsOf, useOidcWorld } from '../directories/oidc-world.ts';
import { addPerson } from '../sign-in-methods/people.ts';
import { openClient, patience, untilWaiting } from './postgres-client.ts';

const world = await useOidcWorld();

async function countStored({ id }: StoredProvider) {
  const [row] = await world().service.database.query<{ providers: number; links: number; enabled: number }>(
    `select (select count(*)::int from providers where id = $1) as providers,
      (select count(*)::int from providers where id = $1 and enabled) as enabled,
      (select count(*)::int from credentials where provider_id = $1) as links`,
    [id],
  );
  return row;
}

describe('T290 an administrator who is disabled while deleting a provider', () => {
  it('rejects the deletion, and keeps the provider and its links; another administrator deletes it', async () => {
    const { service, addAnother, addLinked, signIn, isAlive, as, byAdmin } = world();
    const at = await addAnother();
    const { subject } = await addLinked(at);
    const session = await signIn(subject, {}, at);
    const administrator = await addPerson(service.database, 'admin');
    const send = await as(administrator);
    // The deletion stops where it ends the sessions: this one is locked.
    const holder = await openClient(service.database.url);
    await holder.query('begin');
    await holder.query('select jti from sessions where provider_id = $1 for update', [at.id]);
    const deletion = send('DELETE', `/providers/${at.id}`);
    await expect.poll(async () => (await countStored(at))?.enabled, patience).toBe(0);
    await byAdmin('PUT', `/users/${administrator.id}/enabled`, { enabled: false });
    await holder.query('commit');
    expectAttackFails((await deletion).body.code, { success: 200, failure: 401 });
    expect(await countStored(at)).toEqual({ providers: 1, links: 1, enabled: 0 });
    expect(await isAlive(session)).toBe(false);
    await byAdmin('DELETE', `/providers/${at.id}`);
    expect(await countStored(at)).toEqual({ providers: 0, links: 0, enabled: 0 });
  });

  it('keeps the session of an administrator who signed in by the provider until the provider is deleted', async () => {
    const { service, addAnother, addLinked, signIn, isAlive } = world();
    const at = await addAnother();
    const administrator = await addPerson(service.database, 'admin');
    const { subject } = await addLinked(at, undefined, administrator);
    const [own, other] = [await signIn(subject, {}, at), await signIn(subject, {}, at)];
    const { body } = await service.send({
      method: 'DELETE',
      path: `/api/v1/providers/${at.id}`,
      headers: { authorization: `Bearer ${String(own.body.token)}` },
    });
    expect(body.code).toBe(200);
    expect([await isAlive(own), await isAlive(other)]).toEqual([false, false]);
    expect(await countStored(at)).toEqual({ providers: 0, links: 0, enabled: 0 });
  });
});

describe('T294 a provider with another address', () => {
  const addresses: [what: string, kind: 'oidc' | 'oauth' | 'ldap', settings: object, other: object | 'ca'][] =
    [
      ['issuer', 'oidc', { issuer: 'https://sso.example.com' }, { issuer: 'https://evil.example' }],
      ['token URL', 'oauth', {}, { tokenUrl: 'https://evil.example/token' }],
      ['user-info URL', 'oauth', {}, { userInfoUrl: 'https://evil.example/user' }],
      ['host', 'ldap', {}, { url: 'ldaps://evil.example:636' }],
      ['port', 'ldap', {}, { url: 'ldaps://ldap.example.com:1636' }],
      ['authority', 'ldap', {}, 'ca'],
      ['certificate name', 'ldap', {}, { serverName: 'evil.example' }],
    ];
  const plain = {
    oidc: { clientId: 'c' },
    oauth: {
      clientId: 'c',
      authorizationUrl: 'https://sso.example.com/authorize',
      tokenUrl: 'https://sso.example.com/token',
      userInfoUrl: 'https://sso.example.com/user',
      subjectPath: '/id',
    },
    ldap: {
      url: 'ldaps://ldap.example.com:636',
      dialect: 'ldap',
      bindDn: 'cn=reader,dc=example,dc=com',
      baseDn: 'dc=example,dc=com',
    },
  };

  it.each(addresses)(
    'rejects another %s without the secret, and disables the provider with it',
    async (_what, kind, own, other) => {
      const { service, tryByAdmin, byAdmin } = world();
      const key = `a${randomBytes(6).toString('hex')}`;
      const redirect = kind === 'ldap' ? {} : { redirectUri: `https://admin.example.com/return/${key}` };
      const settings = { ...plain[kind], ...redirect, ...own };
      const { body } = await byAdmin('POST', '/providers', { key, kind, name: key, secret: 's', settings });
      const { id } = body.data as { id: number };
      // Its check would ask an address that does not exist.
      await service.database.query('update providers set enabled = true where id = $1', [id]);
      const elsewhere = { ...settings, ...(other === 'ca' ? { ca: rootCertificates[0] } : other) };
      const refused = await tryByAdmin('PUT', `/providers/${id}`, { settings: elsewhere });
      expectAttackFails(refused.body.code, { success: 200, failure: 400 });
      expect(refused.text).toMatch(/Send the secret/);
      const shown = async () => (await byAdmin('GET', `/providers/${id}`)).body.data;
      expect(await shown()).toMatchObject({ enabled: true, settings });
      await byAdmin('PUT', `/providers/${id}`, { name: 'Another name' });
      expect(await shown()).toMatchObject({ enabled: true });
      await byAdmin('PUT', `/providers/${id}`, { settings: elsewhere, secret: 's' });
      const changed = await shown();
      failIfAttackSucceeded((changed as { enabled: boolean }).enabled, 'no check is needed');
      expect(changed).toMatchObject({ enabled: false, settings: elsewhere });
      const { body: audit } = await byAdmin('GET', `/audit?target=provider%20${id}`);
      expect((audit.data as { items: unknown[] }).items).toContainEqual(
        expect.objectContaining({
          action: 'provider.update',
          before: expect.objectContaining({ enabled: true }),
          after: expect.objectContaining({ enabled: false, secret: 'replaced' }),
        }),
      );
    },
  );

  it('rejects the enabling of a provider that was changed after its check', async () => {
    const { addAnother, byAdmin, tryByAdmin, first } = world();
    const at = await addAnother();
    const enable = (enabled: boolean) => tryByAdmin('PUT', `/providers/${at.id}/enabled`, { enabled });
    await enable(false);
    let change: Promise<unknown> | undefined;
    // While the check asks for the keys.
    first.made.instead = (request, response) => {
      change ??= byAdmin('PUT', `/providers/${at.id}`, { name: 'Another name' });
      first.made.instead = undefined;
      void change.then(() => first.made.answerRequest(request, response));
    };
    expectAttackFails((await enable(true)).body.code, { success: 200, failure: 409 });
    expect(change).toBeDefined();
    expect((await byAdmin('GET', `/providers/${at.id}`)).body.data).toMatchObject({ enabled: false });
    expect((await enable(true)).body.code).toBe(200);
  });
});

describe('T295 settings that turn linked people into other ones', () => {
  const pinned = { tenant: { claim: 'tid', value: 'ours' } };
  const changes: [what: string, more: object][] = [
    ['another client', { ...pinned, clientId: 'another' }],
    ['another tenant', { tenant: { claim: 'tid', value: 'theirs' } }],
    ['another claim of the tenant', { tenant: { claim: 'hd', value: 'ours' } }],
    ['no tenant', {}],
  ];
  it.each(changes)('rejects %s of an OpenID provider while there are links', async (_what, more) => {
    const { addAnother, addLinked, signIn, tryByAdmin } = world();
    const at = await addAnother({}, pinned);
    const settings = settingsOf(at.made, at.key, more);
    const { subject } = await addLinked(at);
    const { code } = (await tryByAdmin('PUT', `/providers/${at.id}`, { settings })).body;
    expectAttackFails(code, { success: 200, failure: 409 });
    expect(outcomeOf(await signIn(subject, {}, at, { tid: 'theirs' }))).toBe('credentials_wrong');
    expect(outcomeOf(await signIn(subject, {}, at, { tid: 'ours' }))).toBe('in');
  });

  it('returns 200 for another tenant while there is no link', async () => {
    const { addAnother, byAdmin } = world();
    const at = await addAnother({}, pinned);
    await byAdmin('PUT', `/providers/${at.id}`, { settings: settingsOf(at.made, at.key) });
  });

  it('rejects a provider that creates administrators, new or changed', async () => {
    const { addAnother, byAdmin, tryByAdmin } = world();
    const creating = { provisioning: 'created', roleId: 1, departmentId: 1 };
    const at = await addAnother();
    const key = `a${randomBytes(6).toString('hex')}`;
    const body = { key, kind: 'oidc', name: key, settings: settingsOf(at.made, key) };
    for (const refused of [
      await tryByAdmin('POST', '/providers', { ...body, ...creating }),
      await tryByAdmin('PUT', `/providers/${at.id}`, creating),
    ]) {
      expectAttackFails(refused.body.code, { success: 200, failure: 400 });
      expect(refused.text).toMatch(/do not fit/);
    }
    await byAdmin('PUT', `/providers/${at.id}`, { ...creating, roleId: 5 });
  });
});

describe('T307 other settings of a provider whose sessions are still ending', () => {
  /** A session by a provider, and a change of the settings that stops where it ends the session: its row is locked. */
  async function beginChange() {
    const { service, addAnother, addLinked, signIn, tryByAdmin } = world();
    const at = await addAnother();
    const { subject } = await addLinked(at);
    const session = await signIn(subject, {}, at);
    const holder = await openClient(service.database.url);
    await holder.query('begin');
    await holder.query('select jti from sessions where provider_id = $1 for update', [at.id]);
    const settings = settingsOf(at.made, at.key, { scopes: ['email'] });
    const change = () => tryByAdmin('PUT', `/providers/${at.id}`, { settings });
    const first = change();
    await untilWaiting(service.database, [first]);
    return { at, subject, session, holder, change, first };
  }

  it('returns 200 to the same call, sent meanwhile, when the sessions have ended', async () => {
    const { service, isAlive } = world();
    const { session, holder, change, first } = await beginChange();
    const second = change();
    const areAlive = second.then(() => isAlive(session));
    await untilWaiting(service.database, [first, second]);
    await holder.query('commit');
    expect([(await first).body.code, (await second).body.code]).toEqual([200, 200]);
    expectAttackFails(await areAlive, { success: true, failure: false });
  });

  it('ends the sessions with the same call after one that was cut off, and keeps those of the new settings', async () => {
    const { service, signIn, isAlive } = world();
    const { at, subject, session, holder, change, first } = await beginChange();
    await service.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    );
    const { code } = (await first).body;
    failIfAttackSucceeded(code === 200 && (await isAlive(session)), 'the session is still open');
    expect(code).not.toBe(200);
    await holder.query('commit');
    expect(await isAlive(session)).toBe(true);
    const later = await signIn(subject, {}, at);
    expect((await change()).body.code).toBe(200);
    expectAttackFails(await isAlive(session), { success: true, failure: false });
    expect(await isAlive(later)).toBe(true);
  });
});
