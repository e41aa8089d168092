// Threats T120 and T121, the chapter “Data outside the data scope”.
import type { Section } from './threat.ts';

export const pages: Section = {
  title: 'Data outside the data scope',
  page: 'data-scope',
  threats: [
    {
      id: 'T120',
      attack:
        'A caller requests the activity, access, sessions or department of a person outside the data scope, by number.',
      defence:
        'The answer is the same as for a number that does not exist. An activity is composed of two logs; each shows only what its data scope allows.',
      heldBy: [
        'packages/server/test/people/activity/routes.test.ts',
        'packages/server/test/permissions/explain/routes.test.ts',
        'packages/server/test/sign-in/sessions/routes.test.ts',
        'packages/server/test/people/departments/routes.test.ts',
        'packages/server/test/logs/login-log/reading/last-login.test.ts',
      ],
    },
    {
      id: 'T121',
      attack:
        'A caller learns a hidden name from a number in a visible audit record, or a hidden record from an export of the audit log or from filtered counts of the login log.',
      defence:
        'Names are looked up within the data scope. A record about an object outside it contains the number, and the data of the record itself. An export contains the rows of the list, by the same query and with the data scope of every page. Counts apply the data scope before they count.',
      heldBy: [
        'packages/server/test/logs/audit/routes.test.ts',
        'packages/server/test/logs/login-log/reading/routes.test.ts',
      ],
    },
  ],
};
