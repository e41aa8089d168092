// Threat T119, the chapter “Explanations of permissions”.
import type { Section } from './threat.ts';

export const callers: Section = {
  title: 'Explanations of permissions',
  page: 'permission-explanations',
  threats: [
    {
      id: 'T119',
      attack:
        'A caller asks which people can make a call, or which people a rule change affects, to learn about people outside the data scope.',
      defence:
        'People are listed and counted within the caller’s data scope, page by page. A role whose holders are all outside it looks like a role without holders.',
      heldBy: [
        'packages/server/test/permissions/explain/callers-route.test.ts',
        'packages/server/test/permissions/rules/compare.test.ts',
      ],
    },
  ],
};
