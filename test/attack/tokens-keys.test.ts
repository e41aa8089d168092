// Section 1.1 of the threats, the keys: stored ones, those of dev and of others, and where their bytes show.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSuccess } from '../conformance/expect-refusal.ts';
import { present } from '../rig/carriers.ts';
import { createHttpClient } from '../rig/http-client.ts';
import { masterKey } from '../rig/master-key.ts';
import { password } from '../rig/seed.ts';
import { businessService, startProcess } from '../rig/start-process.ts';
import { baseSettings, startServer } from '../rig/start-server.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { decodeToken, readSigningKey } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { patience, productPatience, size } from './size.ts';
import { expectAllDenied, instanceAt, orders } from './tokens/expect-denied.ts';
import { dumpDatabase, findKeyBytes } from './tokens/find-key-bytes.ts';
import { forge, signedBy, signedByHmac, targetOf } from './tokens/forge.ts';
import { provoke, secretKeys } from './tokens/provoke.ts';
import { brokenKeys, keysOfOtherKinds, storeKey, tokensOf } from './tokens/stored-keys.ts';

const service = useService({ mode: 'prod' });

describe('a stored key', () => {
  it('T03 that is not for ES256 verifies nothing', async () => {
    const stored = keysOfOtherKinds();
    for (const key of stored) await storeKey(service().database, key);
    const target = await targetOf(service());
    const later = await startServer({ databaseUrl: service().database.url });
    const instance = instanceAt(later.port, service());
    await expectAllDenied(
      instance,
      stored.flatMap((key) => tokensOf(target, key)),
    );
    instance.close();
    await later.stop();
  });

  it('T03 that is no key at all stops the next start before it binds a port', async () => {
    for (const key of brokenKeys().slice(0, size({ small: 2, full: 8 }))) {
      await storeKey(service().database, key);
      await expectNoStart(baseSettings(service().database.url));
      await service().database.query('delete from keys where kid = $1', [key.kid]);
    }
  });
});

describe('a token from elsewhere', () => {
  it('T09 that the published secrets of other products signed is refused', async () => {
    const { kid, claims } = await targetOf(service());
    const goAdmin = {
      identity: 1,
      roleid: 1,
      rolekey: 'admin',
      nice: 'admin',
      datascope: '',
      exp: 4_102_444_800,
    };
    const forgeries = ['go-admin', 'qmPlus', 'abcdefghijklmnopqrstuvwxyz', ''].flatMap((secret) =>
      [
        { alg: 'HS256', typ: 'JWT' },
        { alg: 'HS256', typ: 'JWT', kid },
        { alg: 'ES256', typ: 'JWT', kid },
      ].flatMap((header) =>
        [goAdmin, claims].map((payload) => ({
          name: `${JSON.stringify(header)} by ${secret}`,
          token: forge(header, payload, signedByHmac('sha256', Buffer.from(secret))),
        })),
      ),
    );
    await expectAllDenied(service(), forgeries);
  });

  it('T11 that dev issued, that a key of dev signed, or that lives a hundred years is refused in prod', async () => {
    const { database } = service();
    const dev = await startServer({
      databaseUrl: database.url,
      settings: { ...patience, APPLICATION_MODE: 'dev' },
    });
    const { send, close } = createHttpClient(dev.port);
    const body = { username: 'ada', password };
    const issued = String((await send({ method: 'POST', path: '/api/v1/login', body })).body.token);
    expectSuccess(await send(present(issued, 'header', orders)));
    const { header, claims, privateKey } = await targetOf(service());
    const devKey = await readSigningKey(database, { dev: true });
    const ofDev = { ...header, kid: devKey.kid };
    const century = decodeToken(issued).claims;
    const forgeries = [
      { name: 'issued by dev', token: issued },
      { name: 'of an hour, by the key of dev', token: forge(ofDev, claims, signedBy(devKey.privateKey)) },
      { name: 'of a hundred years, by our own key', token: forge(header, century, signedBy(privateKey)) },
    ];
    await expectAllDenied(service(), forgeries);
    // An instance that starts when the keys of dev are stored.
    const later = await startServer({ databaseUrl: database.url });
    const instance = instanceAt(later.port, service());
    await expectAllDenied(instance, forgeries);
    instance.close();
    close();
    await Promise.all([dev.stop(), later.stop()]);
  });
});

describe('the bytes of the keys', () => {
  let talkative: Service;
  let shown: string;
  beforeAll(async () => {
    talkative = await startService({
      mode: 'prod',
      settings: { ...productPatience, LOGGER_LEVEL: 'trace' },
    });
    shown = await provoke(talkative);
  });
  afterAll(() => talkative.stop());

  it('T16 are in no line, no answer and no column, in any encoding', async () => {
    const keys = await secretKeys(talkative);
    expect(findKeyBytes(shown, keys)).toEqual([]);
    const columns = await dumpDatabase(talkative.database);
    expect([...columns.keys()]).toEqual(
      expect.arrayContaining(['keys.sealed_private', 'login_log.username']),
    );
    for (const [place, content] of columns) expect(findKeyBytes(content, keys), place).toEqual([]);
  });

  it('T16 are found by the same search where they were planted', async () => {
    const { privateKey } = await talkative.signingKey();
    const { d = '' } = privateKey.export({ format: 'jwk' });
    const key = Buffer.from(d, 'base64url');
    for (const spelling of [key, key.toString('hex'), key.toString('base64'), d])
      expect(findKeyBytes(Buffer.concat([Buffer.from('x'), Buffer.from(spelling)]), { key })).toEqual([
        'key',
      ]);
    await talkative.database.query(`update users set nick_name = $1 where username = 'otto'`, [masterKey]);
    const columns = await dumpDatabase(talkative.database);
    expect(findKeyBytes(columns.get('users.nick_name') ?? '', await secretKeys(talkative))).toEqual([
      'master key',
    ]);
  });
});

/** The process ends before it listens. */
async function expectNoStart(environment: Record<string, string>): Promise<void> {
  const started = startProcess({ script: businessService, environment });
  const code = await Promise.race([started.exited, started.waitForLine(/"ready"/)]);
  if (typeof code === 'string') started.signal('SIGKILL');
  expect(code).toEqual(expect.any(Number));
  expect(code).not.toBe(0);
}
