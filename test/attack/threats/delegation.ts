// Threats T102 to T104, the chapter “Delegated administration”.
import type { Section } from './threat.ts';

export const delegation: Section = {
  title: 'Delegated administration',
  page: 'delegation',
  threats: [
    {
      id: 'T102',
      attack:
        'An administrator gives another person a data scope with the same name as the administrator’s, but which shows that person more rows.',
      defence:
        'A change is judged by its effect. The caller must be able to see every row that the change shows to anyone, before or after it, in each department in which the role is held.',
      heldBy: [
        'packages/server/test/people/roles/can-manage/can-manage-check.test.ts',
        'npm run fuzz -- reach',
        'npm run fuzz -- delegation',
      ],
    },
    {
      id: 'T103',
      attack: 'An administrator strips, disables or logs out people with more rights.',
      defence:
        'Revoking needs the same right to manage as granting: every call that the change affects, and every row. Only `admin` can change `admin`, or end all sessions.',
      heldBy: [
        'packages/server/test/people/roles/can-manage/can-manage-check.test.ts',
        'packages/server/test/sign-in/sessions/routes.test.ts',
        'npm run fuzz -- reach',
      ],
    },
    {
      id: 'T104',
      attack: 'An administrator creates rules that take a long time to compare.',
      defence:
        'The comparison yields every few milliseconds. One comparison runs at a time, over all calls. It is refused after a second of work.',
      heldBy: [
        'packages/server/test/permissions/rules/covers-rules.test.ts',
        'packages/server/test/base/values/yielding.test.ts',
      ],
    },
  ],
};
