// Device cookie: marks a browser in which an account has logged in. It is no token and does not authenticate the sender. It
// selects separate rate limits, so that a user who shares a network with an attacker can still log in.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { canonicalUsername } from '../../base/values/canonical-username.ts';

export interface Device {
  readonly id: string;
  /** An HMAC of the username that logged in last. All devices of one user share one budget. */
  readonly owner: string;
}

export interface DeviceCookie {
  /** Undefined for a value that this service has not written. */
  read(cookies: string | undefined): Device | undefined;
  /** The device after a login of this user. A known device keeps its id. */
  next(device: Device | undefined, username: string): Device;
  /** Whether this user was the last to log in on the device. */
  isOf(device: Device | undefined, username: string): boolean;
  set(answer: { setHeader(name: string, value: string): void }, device: Device): void;
}

interface DeviceCookieOptions {
  readonly secure: boolean;
  readonly key: KeyObject;
  readonly randomBytes: (size: number) => Buffer;
}

/** How long a device stays known without another login. */
const maxAgeSeconds = 90 * 86_400;
const idBytes = 16;
const ownerBytes = 8;
const sealBytes = 16;
const shape = /^[A-Za-z0-9_-]{54}$/;

export function createDeviceCookie({ secure, key, randomBytes }: DeviceCookieOptions): DeviceCookie {
  const name = secure ? '__Host-device' : 'device';
  const prefix = `${name}=`;
  const hmac = (text: string, size: number) =>
    createHmac('sha256', key).update(text).digest().subarray(0, size);
  const ownerOf = (username: string) =>
    hmac(`device owner:${canonicalUsername(username)}`, ownerBytes).toString('base64url');
  const seal = (id: string, owner: string) => hmac(`device seal:${id}:${owner}`, sealBytes);

  return {
    read(cookies) {
      // Fast path: nearly every request without the cookie ends here.
      if (cookies === undefined || !cookies.includes(prefix)) return undefined;
      const found = cookies
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(prefix));
      const [value = ''] = found.map((pair) => pair.slice(prefix.length));
      if (found.length !== 1 || !shape.test(value)) return undefined;
      const bytes = Buffer.from(value, 'base64url');
      const id = bytes.toString('base64url', 0, idBytes);
      const owner = bytes.toString('base64url', idBytes, idBytes + ownerBytes);
      const given = bytes.subarray(idBytes + ownerBytes);
      return timingSafeEqual(given, seal(id, owner)) ? { id, owner } : undefined;
    },
    next: (device, username) => ({
      id: device?.id ?? randomBytes(idBytes).toString('base64url'),
      owner: ownerOf(username),
    }),
    isOf: (device, username) => device?.owner === ownerOf(username),
    set(answer, { id, owner }) {
      const parts = [Buffer.from(id, 'base64url'), Buffer.from(owner, 'base64url'), seal(id, owner)];
      const value = Buffer.concat(parts).toString('base64url');
      answer.setHeader(
        'set-cookie',
        `${prefix}${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`,
      );
    },
  };
}
