// T285 to T287: people and providers that change while groups become roles, and groups that are too many or too deep.
import type { Section } from './threat.ts';

const recheck = 'packages/server/test/sign-in/providers/ldap/recheck.test.ts';

export const mappings: Section = {
  title: 'Groups that become roles while something changes',
  threats: [
    {
      id: 'T285',
      attack:
        'A person’s department or role changes, or the directory is asked again, while mappings are applied that take the role away',
      defence:
        'Under the lock of each row the role is computed again from the person’s current state and what was read last; the plan is repeated until it changes no person. A call that does not reach this is answered with 503',
      heldBy: [
        'packages/server/test/sign-in/providers/groups/mapping-changes.test.ts',
        'npm run chaos -- mappings',
      ],
    },
    {
      id: 'T286',
      attack: 'A provider changes during a recheck, so that people whom its groups move are not moved',
      defence:
        'Each person who could not be moved is judged again with the changed provider, three times in all; then the answer is 503. Only people who were moved are counted',
      heldBy: [recheck, 'npm run chaos -- mappings'],
    },
    {
      id: 'T287',
      attack:
        'A person is put into more groups than are read, or into endlessly nested groups, so that the recheck of all people fails',
      defence:
        'The access of people who are gone or disabled ends before any group is read. An exceeded limit concerns that person alone, who gets no role by a group and none by the star; the process log names the person and the limit',
      heldBy: [recheck, 'packages/server/test/sign-in/providers/ldap/directory.test.ts'],
    },
  ],
};
