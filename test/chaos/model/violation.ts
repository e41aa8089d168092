// What must never be seen, looked for after every step: a request could arrive at any member at that moment.
import { REQUEST_ALLOWED, REQUEST_WITHOUT_LEASE } from './sightings.ts';
import { type Member, OFF, type World } from './world.ts';

export const ALLOWED_AFTER_RETURN = 1;
export const RETURNED_FOR_LOST_REVISION = 2;
export const RENEWED_ON_LOST_REVISION = 3;

export const violationMeanings: Readonly<Record<number, string>> = {
  [ALLOWED_AFTER_RETURN]: 'a member allows a request without a change whose call has returned',
  [RETURNED_FOR_LOST_REVISION]: 'a call returned for a revision that the database has lost',
  [RENEWED_ON_LOST_REVISION]: 'a member renewed its lease while it enforces a lost revision',
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
  return world.violation !== 0;
}

/** On the member's own clock. */
export function hasLease(world: World, member: Member): boolean {
  return (world.t - member.leaseFrom) * member.rate < world.lease;
}
