// What an attempt to log in counts for: the name that is guessed, the network and the device.
import { networkOf } from '../../base/values/network.ts';
import type { Device } from './device-cookie.ts';
import type { LoginAttemptKey } from './throttle/throttle.ts';

/** `device` as it is after a login with this name; `origin.device` where it came with the request. */
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
