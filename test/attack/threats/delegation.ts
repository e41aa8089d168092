// T102 to T104: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const delegation: Section = {
  title: 'Administration that is passed on',
  threats: [
    {
      id: 'T102',
      attack: 'A data scope that has the same name as the own one, and shows more to somebody else',
      defence:
        'A change is judged by what it does: whoever makes it sees every row that anybody sees by it before or after, in each department where the role is held',
      heldBy: [
        'packages/server/test/people/roles/can-manage/can-manage-check.test.ts',
        'npm run fuzz -- reach',
        'npm run fuzz -- delegation',
      ],
    },
    {
      id: 'T103',
      attack: 'Stripping, disabling or logging out those who stand above',
      defence:
        'Taking away needs the same reach as giving: every call that the change concerns, and every row. Nobody but `admin` touches `admin`, or ends all sessions',
      heldBy: [
        'packages/server/test/people/roles/can-manage/can-manage-check.test.ts',
        'packages/server/test/sign-in/sessions/routes.test.ts',
        'npm run fuzz -- reach',
      ],
    },
    {
      id: 'T104',
      attack: 'Rules made so that comparing with them takes long',
      defence:
        'Compared in turns of milliseconds, one at a time over all calls, and refused after a second of work',
      heldBy: [
        'packages/server/test/permissions/rules/covers-rules.test.ts',
        'packages/server/test/base/values/yielding.test.ts',
      ],
    },
  ],
};
