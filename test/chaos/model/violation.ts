// What must never be seen, looked for after every step: a request could arrive at any member at that moment.
import { GUARD_ALLOWED, REQUEST_ALLOWED, REQUEST_WITHOUT_LEASE } from './sightings.ts';
import { type Guard, type Member, OFF, type World } from './world.ts';

export const ALLOWED_AFTER_RETURN = 1;
export const RETURNED_FOR_LOST_REVISION = 2;
export const RENEWED_ON_LOST_REVISION = 3;
export const GUARD_ALLOWED_AFTER_RETURN = 4;

export const violationMeanings: Readonly<Record<number, string>> = {
  [ALLOWED_AFTER_RETURN]: 'a member allows a request without a change whose call has returned',
  [RETURNED_FOR_LOST_REVISION]: 'a call returned for a revision that the database has lost',
  [RENEWED_ON_LOST_REVISION]: 'a member renewed its lease while it enforces a lost revision',
  [GUARD_ALLOWED_AFTER_RETURN]: 'a guard allows a request without a change whose call has returned',
};

/** Returns whether the world is at fault, and notes in `world.violation` why. */
export function isViolated(world: World): boolean {
  for (const member of world.members) {
    if (member.phase === OFF) continue;
    if (!hasLease(world, member)) world.sighted |= REQUEST_WITHOUT_LEASE;
    else {
      world.sighted |= REQUEST_ALLOWED;
      if ((world.returned & ~member.content) !== 0) world.violation = ALLOWED_AFTER_RETURN;
    }
  }
  for (const guard of world.guards) {
    if (!hasGuardLease(world, guard)) continue;
    world.sighted |= GUARD_ALLOWED;
    if ((world.returned & ~guard.content) !== 0) world.violation = GUARD_ALLOWED_AFTER_RETURN;
  }
  return world.violation !== 0;
}

export function hasGuardLease(world: World, { isOn, leaseUntil }: Guard): boolean {
  return isOn && world.t < leaseUntil;
}

/** On the member's own clock. */
export function hasLease(world: World, member: Member): boolean {
  return (world.t - member.leaseFrom) * member.rate < world.lease;
}
