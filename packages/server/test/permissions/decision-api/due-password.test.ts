// Who is named, and not identified by a token, is asked for a due password all the same.
import { createPasswordDueCheck, type ReceivedRequest } from '@portcullis/gate';
import { expect, it } from 'vitest';
import { createEvaluate } from '../../../src/permissions/decision-api/evaluate.ts';

const settled = createPasswordDueCheck([]);
const role = { roleId: 7, roleKey: 'clerk', dataScope: '5' as const };

function ask(passwordDue: { passwordDue?: true }) {
  const evaluate = createEvaluate({
    decide: () => expect.unreachable('There is no token.'),
    decideNamed(target: ReceivedRequest, done: (error?: Error) => void) {
      try {
        settled(target);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    findUserRole: async () => ({ ...role, ...passwordDue }),
    isRoleEnabled: async () => true,
  });
  return evaluate({
    subject: { type: 'user', id: '7' },
    action: { name: 'GET' },
    resource: { type: 'route', id: '/api/v1/orders' },
  });
}

it('denies a named user with a due password', async () => {
  expect(await ask({ passwordDue: true })).toEqual({
    decision: false,
    context: { reason: 'password_change_required' },
  });
});

it('a named user whose password may stay is allowed', async () => {
  expect(await ask({})).toEqual({ decision: true });
});
