import { describe, expect, it } from 'vitest';
import { createPasskeyDevice, type Saying } from '../../../../../../test/rig/passkey-device.ts';
import { createWebAuthn } from '../../../../src/sign-in/mfa/passkey/web-authn.ts';

const webAuthn = createWebAuthn({
  domain: 'example.test',
  origins: ['https://example.test', 'https://admin.example.test:8443'],
});
const challenge = Buffer.alloc(32, 1).toString('base64url');
const other = Buffer.alloc(32, 2).toString('base64url');
const good = { challenge, origin: 'https://example.test', rpId: 'example.test', userHandle: 'AAAA' };

/** What neither a registration nor a login accepts. */
const lies: [string, Partial<Saying>][] = [
  ['another challenge', { challenge: other }],
  ['another site', { origin: 'https://example.test.evil.example' }],
  ['an origin below the domain that is not listed', { origin: 'https://other.example.test' }],
  ['the same host without TLS', { origin: 'http://example.test' }],
  ['another port', { origin: 'https://example.test:8443' }],
  ['the id of another site', { rpId: 'evil.example' }],
  ['the id of a part of the domain', { rpId: 'admin.example.test' }],
  ['no verified user', { userVerified: false }],
  ['a frame on another site', { crossOrigin: true }],
  ['the other ceremony', { type: 'payment.get' }],
];

describe('a passkey that is made', () => {
  it.each(lies)('is refused with %s', async (_what, lie) => {
    const made = createPasskeyDevice().make({ ...good, ...lie });
    expect(await webAuthn.verifyRegistration(made, challenge)).toBeUndefined();
  });

  it.each([-35, -36, -37, -47, -48, -65535])('is refused with algorithm %d', async (algorithm) => {
    const made = createPasskeyDevice().make({ ...good, algorithm });
    expect(await webAuthn.verifyRegistration(made, challenge)).toBeUndefined();
  });

  it.each(['apple', 'android-key', 'android-safetynet', 'fido-u2f', 'tpm', 'packed', 'unknown'])(
    'is refused with an attestation of the format %s, which was not requested',
    async (format) => {
      const made = createPasskeyDevice().make({ ...good, format });
      expect(await webAuthn.verifyRegistration(made, challenge)).toBeUndefined();
    },
  );

  it.each(['AAAA', 'e30', 'W10', 'bnVsbA'])('is refused where it is no such thing: %s', async (bytes) => {
    const made = createPasskeyDevice().make(good);
    for (const field of ['clientDataJSON', 'attestationObject'] as const) {
      const response = { ...made.response, [field]: bytes };
      expect(await webAuthn.verifyRegistration({ ...made, response }, challenge)).toBeUndefined();
    }
  });

  it('is accepted on every origin of the settings, with its counter', async () => {
    for (const origin of ['https://example.test', 'https://admin.example.test:8443']) {
      const device = createPasskeyDevice();
      const made = await webAuthn.verifyRegistration(device.make({ ...good, origin, counter: 7 }), challenge);
      expect(made).toMatchObject({ subject: device.id, counter: 7 });
    }
  });
});

describe('a login with a passkey', () => {
  async function registered() {
    const device = createPasskeyDevice();
    const made = await webAuthn.verifyRegistration(device.make(good), challenge);
    return { device, publicKey: made?.publicKey ?? '' };
  }

  it.each(lies)('is refused with %s', async (_what, lie) => {
    const { device, publicKey } = await registered();
    const signed = device.sign({ ...good, ...lie });
    expect(await webAuthn.verifyAssertion(signed, { challenge, publicKey })).toBeUndefined();
  });

  it('is refused where another key signed it, or something was changed since', async () => {
    const { device, publicKey } = await registered();
    const signed = device.sign({ ...good, counter: 3 });
    const verify = (response: object) =>
      webAuthn.verifyAssertion(
        { ...signed, response: { ...signed.response, ...response } },
        { challenge, publicKey },
      );
    expect(await verify({})).toBe(3);
    expect(await verify(createPasskeyDevice().sign({ ...good, counter: 3 }).response)).toBeUndefined();
    const { authenticatorData } = device.sign({ ...good, counter: 4 }).response;
    expect(await verify({ authenticatorData })).toBeUndefined();
    expect(await verify({ signature: 'AAAA' })).toBeUndefined();
  });

  it('is accepted with any counter, which is returned', async () => {
    const { device, publicKey } = await registered();
    for (const counter of [0, 1, 4_294_967_295])
      expect(
        await webAuthn.verifyAssertion(device.sign({ ...good, counter }), { challenge, publicKey }),
      ).toBe(counter);
  });
});
