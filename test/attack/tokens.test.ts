// Section 1.1 of the threats, the tokens: forged, malformed, mistaken and mixed up.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusalBody, expectSuccess } from '../conformance/expect-refusal.ts';
import { present } from '../rig/carriers.ts';
import { addUser, hashPassword, password } from '../rig/seed.ts';
import { repository } from '../rig/start-process.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { size } from './size.ts';
import { algorithmsOfNothing, keyOfOneAlgorithm, publicKeyAsSecret } from './tokens/algorithms.ts';
import { claimMutations, longPayloads, otherPurposes, strangeJson } from './tokens/claims.ts';
import { expectAllDenied, orders } from './tokens/expect-denied.ts';
import { forge, signedBy, type Target, targetOf, unsigned } from './tokens/forge.ts';
import { furtherMembers, headerTexts, keyIds, keysBroughtAlong, longKeyId } from './tokens/headers.ts';
import { startKeyListener } from './tokens/key-listener.ts';
import { presentMany } from './tokens/present-many.ts';
import { encodings, encrypted, jsonSerializations, payloads, segments } from './tokens/serializations.ts';
import {
  bitFlips,
  bitTwins,
  looseTexts,
  negatedTwin,
  signatureNumbers,
  spacedTexts,
} from './tokens/signatures.ts';

const service = useService({ mode: 'prod' });
let target: Target;
beforeAll(async () => {
  target = await targetOf(service());
});

describe('a forged token', () => {
  it('T01 is refused with alg none, in all 16 spellings, absent, of another type or nearly ours', async () => {
    await expectAllDenied(service(), algorithmsOfNothing(target));
  });

  it('T02 is refused when the public key was the secret of an HMAC, in any form and spacing', async () => {
    await expectAllDenied(service(), publicKeyAsSecret(target), ['header']);
  });

  it('T03 is refused under another algorithm than the one of its key, and by another kind of key', async () => {
    await expectAllDenied(service(), keyOfOneAlgorithm(target));
  });

  it('T05 is refused when it contains its key, and no key is fetched', async () => {
    const listener = await startKeyListener();
    await expectAllDenied(service(), keysBroughtAlong(target, listener.url));
    expect(listener.connections).toBe(0);
    await fetch(listener.url);
    expect(listener.connections).toBe(1);
    listener.close();
  });

  it('T06 is refused with any crit, and with any header member that we do not write', async () => {
    await expectAllDenied(service(), [...furtherMembers(target), ...headerTexts(target)]);
  });

  it('T07 is refused in any form but the compact one of three segments: JSON, JWE, nested, detached', async () => {
    const forgeries = [segments, payloads, jsonSerializations, encrypted].flatMap((make) => make(target));
    await expectAllDenied(service(), forgeries);
  });

  it('T07 is refused in any other base64 than the canonical one', async () => {
    await expectAllDenied(service(), encodings(target));
  });

  it('T08 is refused with numbers r and s at any edge, in DER, too short and too long', async () => {
    await expectAllDenied(service(), signatureNumbers(target));
  });

  it('T08 is refused with any one bit of a live token turned', async () => {
    await expectAllDenied(service(), bitFlips(await service().tokenOf('ada')), ['header']);
  });

  it('T10 is refused with any claim absent, of another type or at an edge, though our own key signed it', async () => {
    const mutations = claimMutations(target);
    expect(mutations.length).toBeGreaterThanOrEqual(60);
    await expectAllDenied(service(), mutations);
  });

  it('T12 is refused with another typ, iss or any aud, though our own key signed it', async () => {
    await expectAllDenied(service(), otherPurposes(target));
  });

  it('T13 is refused with a member twice, a prototype, or depth, though our own key signed it', async () => {
    await expectAllDenied(service(), strangeJson(target));
    await expectAllDenied(service(), longPayloads(target), ['header', 'cookie']);
    await expectAllDenied(service(), [longKeyId(target)], ['header', 'cookie']);
  });

  it('T13 leaves nothing behind on the objects of later requests', async () => {
    await expectAllDenied(service(), strangeJson(target), ['header']);
    const context = await service().send(
      present(await service().tokenOf('gina'), 'header', { path: '/api/v1/context' }),
    );
    expect(context.body.data).toMatchObject({ username: 'gina', roleKey: 'guest' });
    expectRefusalBody(await service().send(present(await service().tokenOf('gina'), 'header', orders)));
  });

  it('T13 of a megabyte is no HTTP to the parser, and the next request is served', async () => {
    const entries = await service().countEntries();
    const token = forge(target.header, { ...target.claims, nice: 'x'.repeat(1e6) }, () => randomBytes(64));
    const { status } = await service().raw(
      `GET /api/v1/orders HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    expect(status).toBe(400);
    expect(await service().countEntries()).toBe(entries);
  });
});

describe('a key id', () => {
  const spy = `${repository}test/attack/tokens/io-spy.ts`;
  const spied = useService({ mode: 'prod', settings: { NODE_OPTIONS: `--import=${spy}` } });
  const ioDuring = (request: string) =>
    [...spied().server.process.output.matchAll(/^\{"io":"(\w+)","during":"([^"]+)"\}$/gm)]
      .filter(([, , during]) => during === request)
      .map(([, kind]) => kind);

  it('T04 of any kind is only looked up in memory: no file, no statement, no connection, no name', async () => {
    const ids = keyIds(await targetOf(spied()));
    expect(ids.length).toBeGreaterThanOrEqual(500);
    await expectAllDenied(spied(), ids, ['header']);
    await expectAllDenied(spied(), ids, ['query', 'cookie']);
    // Its line comes after those of all requests before it.
    await spied().logIn('carl');
    await spied().server.process.waitForLine(/"io":"statement","during":"POST \/api\/v1\/login"/);
    expect(new Set(ioDuring('control'))).toEqual(new Set(['file', 'dns', 'connection', 'statement']));
    expect(ioDuring('GET /api/v1/orders')).toEqual([]);
  });
});

describe('another text for a token', () => {
  async function expectTwinsDenied(token: string): Promise<void> {
    await expectAllDenied(service(), [...bitTwins(token), ...looseTexts(token)]);
    await expectAllDenied(service(), spacedTexts(token), ['header']);
    const { status, body } = await service().raw(
      `GET /api/v1/orders HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${token}\n\r\n\r\n`,
    );
    expect([status, body.code]).toEqual([400, 400]);
  }

  it('T08 is refused while the token lives, and after its logout', async () => {
    const token = String((await service().logIn('ada')).body.token);
    await expectTwinsDenied(token);
    expectSuccess(await service().send(present(token, 'header', orders)));
    expectSuccess(await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' })));
    await expectAllDenied(service(), [{ name: 'the token itself', token }, negatedTwin(token)]);
    await expectTwinsDenied(token);
  });

  it('T08 is refused even where ECDSA has two signatures for one', async () => {
    await expectAllDenied(service(), [negatedTwin(await service().tokenOf('ada'))]);
  });
});

describe('the claims of a token', () => {
  it('T14 hold the largest user id there is, digit by digit', async () => {
    const { database } = service();
    await addUser(database, {
      username: 'max',
      role: 'guest',
      passwordHash: await hashPassword(password, 2),
    });
    await database.query(`update users set id = 9007199254740991 where username = 'max'`);
    const token = String((await service().logIn('max')).body.token);
    const profile = await service().send(present(token, 'header', { path: '/api/v1/user/profile' }));
    expect(profile.text).toContain('"userId":9007199254740991');
    expect(decodeToken(token).claims).toMatchObject({ identity: 9007199254740991, sub: '9007199254740991' });
    await expect(
      database.query(`update users set id = 9007199254740992 where username = 'max'`),
    ).rejects.toThrow(/check/);
  });

  it('T14 with an id above it are refused, though our own key signed them', async () => {
    const { header, claims, privateKey } = target;
    const text = JSON.stringify({ ...claims, identity: 4711, sub: '4711' });
    const ids = ['9007199254740992', '9007199254740993', '9223372036854775807', '18446744073709551617'];
    const forgeries = ids.map((id) => ({
      name: `the id ${id}`,
      token: forge(header, text.replaceAll('4711', id), signedBy(privateKey)),
    }));
    await expectAllDenied(service(), forgeries);
  });

  it('T14 and T15 are those of the token presented, for many tokens of a thousand users, known or new', async () => {
    const tokens = size({ small: 1500, full: 1_000_000 });
    expect(await presentMany(service(), { tokens, users: 1000, seed: 15 })).toEqual([]);
  });

  it('T15 are not those of a known token that ends in the same signature', async () => {
    const known = await service().tokenOf('ada');
    const signature = known.slice(known.lastIndexOf('.'));
    const { header, claims } = target;
    const forgeries = Array.from({ length: 200 }, (_, index) => ({
      name: `other claims ${index} before its signature`,
      token:
        forge(header, { ...claims, identity: index + 2, sub: String(index + 2) }, unsigned) +
        signature.slice(1),
    }));
    await expectAllDenied(service(), forgeries);
  });
});
