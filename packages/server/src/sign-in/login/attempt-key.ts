// Builds the key under which the brute-force protection counts a login attempt: username, network and device.
import { networkOf } from '../../base/values/network.ts';
import type { Device } from './device-cookie.ts';
import type { LoginAttemptKey } from './throttle/throttle.ts';

/** `device`: the device after a login with this name. `origin.device`: the device cookie of the request, if any. */
export function attemptKeyOf(
  username: string,
  device: Device,
  origin: { readonly ip: string; readonly device?: Device | undefined },
): LoginAttemptKey {
  return {
    username,
    network: networkOf(origin.ip),
    device: device.id,
    isKnownDevice: origin.device !== undefined,
  };
}
