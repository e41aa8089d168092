// Threats T285 to T287, the chapter “Group mappings during concurrent changes”.
import type { Section } from './threat.ts';

const recheck = 'packages/server/test/sign-in/providers/ldap/recheck.test.ts';

export const mappings: Section = {
  title: 'Group mappings during concurrent changes',
  page: 'group-mappings',
  threats: [
    {
      id: 'T285',
      attack:
        'A person’s department or role changes, or a recheck runs, while group mappings that remove the role are applied.',
      defence:
        'Under the lock of each row, the role is computed again from the person’s current state and the groups that were read last. The plan is repeated until it changes no person. A call that cannot achieve this is answered with 503.',
      heldBy: [
        'packages/server/test/sign-in/providers/groups/mapping-changes.test.ts',
        'npm run chaos -- mappings',
      ],
    },
    {
      id: 'T286',
      attack:
        'A provider changes during a recheck, so that people whose role depends on its groups keep their role.',
      defence:
        'Each person who could not be updated is checked again with the changed provider, three times in all; then the answer is 503. Only updated people are counted.',
      heldBy: [recheck, 'npm run chaos -- mappings'],
    },
    {
      id: 'T287',
      attack:
        'A person is put into more groups than are read, or into endlessly nested groups, so that the recheck of all people fails.',
      defence:
        'The access of people who were removed or disabled ends before any group is read. An exceeded limit affects that person alone, who gets no role from a group and none from the star. The process log names the person and the limit.',
      heldBy: [recheck, 'packages/server/test/sign-in/providers/ldap/directory.test.ts'],
    },
  ],
};
