// T120 and T121: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const pages: Section = {
  title: 'The pages of people, departments and sessions',
  threats: [
    {
      id: 'T120',
      attack:
        'The activity, access, sessions or department of somebody outside the data scope, by its number',
      defence:
        'Each is answered like one that does not exist. Of the two logs that an activity is made of, each shows what its own data scope shows',
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
        'A name that the data scope hides, by a number in an audit record that is shown; a record that it hides, in a file of the audit log or in the counts of the login log by a filter',
      defence:
        'Names are looked up within the data scope; a record of something outside has its number, and what the record itself holds. A file has the rows of the list, by the same query and with the data scope of every page; counts are narrowed before they are counted',
      heldBy: [
        'packages/server/test/logs/audit/routes.test.ts',
        'packages/server/test/logs/login-log/reading/routes.test.ts',
      ],
    },
  ],
};
