// Describes a plan of group mappings to the administrator: for each user who would change, whether the new role permits more
// calls or fewer, or whether the user is locked out.
import type { Effect, PlannedUser } from './plan-roles.ts';

/** Whether the first role permits every call that the other role permits. */
export type CoversRole = (roleId: number, otherId: number) => Promise<boolean>;

export async function describePlan(planned: readonly PlannedUser[], mayDoAll: CoversRole) {
  const compare = createCompare(mayDoAll);
  return await Promise.all(
    planned.map(async ({ user, reason, after }) => ({
      userId: user.userId,
      username: user.username,
      effect: after === null ? effectOfRefusal(user) : await compare(user.roleId, after.roleId),
      reason,
      remainingMethods: after === null ? [...user.left] : [],
      before: { roleId: user.roleId, departmentId: user.departmentId },
      after,
    })),
  );
}

/** Compares each pair of roles once. */
function createCompare(mayDoAll: CoversRole): (before: number, after: number) => Promise<Effect> {
  const known = new Map<string, Promise<Effect>>();
  const compare = async (before: number, after: number): Promise<Effect> => {
    const [gains, loses] = await Promise.all([mayDoAll(after, before), mayDoAll(before, after)]);
    if (gains === loses) return 'changes';
    return gains ? 'gains' : 'loses';
  };
  return (before, after) => {
    const key = `${before} ${after}`;
    const found = known.get(key) ?? compare(before, after);
    known.set(key, found);
    return found;
  };
}

function effectOfRefusal({ left }: PlannedUser['user']): Effect {
  return left.length === 0 ? 'locked_out' : 'link_refused';
}
