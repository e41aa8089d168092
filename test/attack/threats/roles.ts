// Threats T53 to T62, the chapter “Roles, rules and the exclusion list”.
import type { Section } from './threat.ts';

export const roles: Section = {
  title: 'Roles, rules and the exclusion list',
  page: 'roles-and-rules',
  threats: [
    {
      id: 'T53',
      attack: 'A role is named `admin`, or almost so.',
      defence:
        'A constraint allows the key `admin` in one row only. Role keys match `[a-z][a-z0-9_-]` and are compared byte by byte.',
    },
    {
      id: 'T54',
      attack: 'A role key is `__proto__`, `*` or empty.',
      defence: 'Roles are looked up in a Map. `*` is never a subject.',
    },
    {
      id: 'T55',
      attack: 'The exclusion list contains a business endpoint.',
      defence:
        'The list contains exact pairs of method and route, of endpoints that declare themselves excludable. Any other entry prevents the start.',
      heldBy: [
        'test/conformance/start-refusals.test.ts',
        'packages/server/test/permissions/exclusions/exclusion-list.test.ts',
      ],
    },
    {
      id: 'T56',
      attack: 'A route has no check.',
      defence: 'A route that declares no access prevents the start. A test pins the list of all routes.',
      heldBy: ['test/repository/routes.test.ts', 'test/conformance/start-refusals.test.ts'],
    },
    {
      id: 'T57',
      attack: 'The checks run in another order, or one is left out.',
      defence:
        'One table lists the order for each kind of access: rate limit, lease, identity, limit per caller, CSRF check, initial password, permission.',
      heldBy: ['packages/gate/test/pipeline.test.ts'],
    },
    {
      id: 'T58',
      attack: 'A fault inside a check lets the request pass.',
      defence:
        'If a check throws, rejects, returns a value or never ends, the request is refused. Only the literal `allow` permits a call.',
      heldBy: ['packages/gate/test/pipeline.test.ts', 'packages/gate/test/checks/permission-check.test.ts'],
    },
    {
      id: 'T59',
      attack:
        'A right is revoked between the check and the handler, before the commit, or on another instance, and the request still succeeds.',
      defence:
        'If access changed in memory, the checks run again directly before the handler. A write is checked again when it commits. A call that revokes a right returns when the revocation is in force everywhere.',
      heldBy: [
        'npm run chaos -- barrier',
        'npm run chaos -- slow-body',
        'npm run chaos -- in-flight',
        'npm run chaos -- factor',
        'npm run chaos -- factor-raise',
        'npm run chaos -- model',
        'packages/server/test/cluster/caller-at-commit.test.ts',
      ],
    },
    {
      id: 'T60',
      attack: 'An instance uses a rule set that was loaded only in part.',
      defence: 'Rules are written in one transaction, read in one snapshot, and replaced in one step.',
      heldBy: ['npm run chaos -- swap', 'npm run chaos -- registration'],
    },
    {
      id: 'T61',
      attack: 'The body of a request sets the data scope or the role.',
      defence: 'Both come from the token alone, and must still match the stored role.',
    },
    {
      id: 'T62',
      attack: 'A text that the service accepts contains SQL.',
      defence: 'Every value is a parameter. No statement is built from request data.',
    },
  ],
};
