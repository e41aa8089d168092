// T53 to T62: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const roles: Section = {
  title: 'Roles, rules and the exclusion list',
  threats: [
    {
      id: 'T53',
      attack: 'A role that is called `admin`, or nearly so',
      defence:
        'A constraint gives the key to one row alone; keys are `[a-z][a-z0-9_-]` and compared byte by byte',
    },
    {
      id: 'T54',
      attack: 'Role keys such as `__proto__`, `*` or nothing',
      defence: 'Roles are looked up in a Map; `*` is never a subject',
    },
    {
      id: 'T55',
      attack: 'A business endpoint on the exclusion list',
      defence:
        'Exact pairs of method and route, of endpoints that declare themselves excludable; anything else stops the start',
      heldBy: [
        'test/conformance/start-refusals.test.ts',
        'packages/server/test/permissions/exclusions/exclusion-list.test.ts',
      ],
    },
    {
      id: 'T56',
      attack: 'A route that nobody put a check before',
      defence: 'A route that declares no access stops the start; the list of all routes is pinned',
      heldBy: ['test/repository/routes.test.ts', 'test/conformance/start-refusals.test.ts'],
    },
    {
      id: 'T57',
      attack: 'Checks in another order, or one left out',
      defence: 'One table has the order for every access: limit, lease, who, from where, may',
      heldBy: ['packages/gate/test/pipeline.test.ts'],
    },
    {
      id: 'T58',
      attack: 'A fault inside a check lets the request pass',
      defence:
        'A check that throws, rejects, returns anything or never ends lets nobody in; only the literal `allow` permits',
      heldBy: ['packages/gate/test/pipeline.test.ts', 'packages/gate/test/checks/permission-check.test.ts'],
    },
    {
      id: 'T59',
      attack:
        'What is taken away between the check and the handler, before the commit, or on another instance',
      defence:
        'Decided again just before the handler where memory changed, and asked again when a write commits; a call that takes away returns when it is in force everywhere',
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
      attack: 'Rules that are loaded by half',
      defence: 'Written in one transaction, read in one snapshot, and exchanged in one step',
      heldBy: ['npm run chaos -- swap', 'npm run chaos -- registration'],
    },
    {
      id: 'T61',
      attack: 'The data scope or role from the body of a request',
      defence: 'Both come from the token alone, and must still be those of the role',
    },
    {
      id: 'T62',
      attack: 'SQL in any text that we take',
      defence: 'Every value is a parameter; no statement is made of text that came in',
    },
  ],
};
