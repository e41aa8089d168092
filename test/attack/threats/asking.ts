// T123 and T124: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

const rooms = ['packages/server/test/permissions/requests/routes.test.ts'];

export const asking: Section = {
  title: 'Asking for access',
  threats: [
    {
      id: 'T123',
      attack:
        'Asking without end, for what there is not, or in words that hide something, and reading or answering what others asked for',
      defence:
        'Ten open requests a person, the same asked again is the same one, and a budget of its own for asking. Known endpoints only, words without anything invisible. Everybody reads the own ones; the open ones of others need a permission and are within the data scope',
      heldBy: rooms,
    },
    {
      id: 'T124',
      attack: 'An answer that gives more than was asked, than its giver may give, or for longer',
      defence:
        'What is asked for is one call or one endpoint as the catalogue has it, never a wildcard. Giving is a change of temporary rules like any other, with the same reach by lasting rules, in one transaction with the answer; never longer than was asked, and of two answers one counts. No answer brings the end of a rule nearer',
      heldBy: rooms,
    },
  ],
};
