// T119: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const callers: Section = {
  title: 'Asking about people',
  threats: [
    {
      id: 'T119',
      attack:
        'Asking who can call something, or whom a change of rules concerns, to learn of people elsewhere',
      defence:
        'People are listed and counted by the data scope of who asks, page by page; a role without anybody in it looks like one that nobody has',
      heldBy: [
        'packages/server/test/permissions/explain/callers-route.test.ts',
        'packages/server/test/permissions/rules/compare.test.ts',
      ],
    },
  ],
};
