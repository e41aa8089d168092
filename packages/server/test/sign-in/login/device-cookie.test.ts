import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDeviceCookie, type Device } from '../../../src/sign-in/login/device-cookie.ts';

const key = createSecretKey(randomBytes(32));
const secure = createDeviceCookie({ secure: true, key, randomBytes });
const dev = createDeviceCookie({ secure: false, key, randomBytes });

function written(cookie: typeof secure, device: Device): string {
  const headers: string[] = [];
  cookie.set({ setHeader: (name, value) => void headers.push(`${name}: ${value}`) }, device);
  return headers.join();
}
const pairOf = (cookie: typeof secure, device: Device) =>
  /^set-cookie: ([^;]+)/.exec(written(cookie, device))?.[1] ?? '';

describe('the cookie of a device', () => {
  const device = secure.next(undefined, 'mei');
  const pair = pairOf(secure, device);

  it.each([
    ['nothing', undefined],
    ['an empty one', ''],
    ['the token', 'jwt=a.b.c'],
    ['one without a value', '__Host-device='],
    ['one that is too short', pair.slice(0, -1)],
    ['one with more behind it', `${pair}A`],
    ['two of them', `${pair}; ${pair}`],
    ['one of dev', pair.replace('__Host-', '')],
    ['one in another case', pair.replace('__Host-', '__host-')],
    ['made up', `__Host-device=${randomBytes(40).toString('base64url')}`],
    [
      'one of another key',
      pairOf(
        createDeviceCookie({ secure: true, key: createSecretKey(randomBytes(32)), randomBytes }),
        device,
      ),
    ],
  ])('is not %s', (_what, cookies) => {
    expect(secure.read(cookies)).toBeUndefined();
  });

  it('is not read where any byte of it was changed', () => {
    const [name = '', value = ''] = pair.split('=');
    const bytes = Buffer.from(value, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(secure.read(`${name}=${changed.toString('base64url')}`)).toBeUndefined();
    }
  });

  it('is read as it was written, among others too', () => {
    expect(secure.read(pair)).toEqual(device);
    expect(secure.read(`theme=dark; ${pair}; jwt=a.b.c`)).toEqual(device);
    expect(dev.read(pairOf(dev, device))).toEqual(device);
  });

  it('is not readable by scripts, is for this host alone, and lasts 90 days', () => {
    expect(written(secure, device)).toMatch(
      /^set-cookie: __Host-device=[\w-]{54}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(written(dev, device)).toMatch(
      /^set-cookie: device=[\w-]{54}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it('keeps its device id, and belongs to the last user who logged in with it', () => {
    const next = secure.next(device, 'ada');
    expect(next.id).toBe(device.id);
    expect(next.owner).not.toBe(device.owner);
    expect(secure.next(undefined, 'MEI ').owner).toBe(device.owner);
    expect(secure.next(undefined, 'mei').id).not.toBe(device.id);
  });

  it('shows no name', () => {
    expect(Buffer.from(pair.split('=')[1] ?? '', 'base64url').toString('latin1')).not.toContain('mei');
  });
});
