// Threats T115 to T118, the chapter “Look-alike names, concurrent changes and temporary rules”.
import type { Section } from './threat.ts';

export const records: Section = {
  title: 'Look-alike names, concurrent changes and temporary rules',
  page: 'concurrent-changes',
  threats: [
    {
      id: 'T115',
      attack:
        'A username or a role looks like another: a letter of another script, an invisible character, a role named like admin.',
      defence:
        'A username has letters of one script, and so has every word of a display name. Invisible characters are rejected. A role cannot have a name like `admin`.',
      heldBy: [
        'packages/contract/test/display-name.test.ts',
        'packages/server/test/people/roles/admin-look-alike.test.ts',
      ],
      open: 'A name that is entirely in another script can look like a Latin one. Names from before this rule stay.',
    },
    {
      id: 'T116',
      attack:
        'A colleague undoes a revocation unknowingly, with a form that was opened before it (lost update).',
      defence:
        'A change contains only the fields that changed, and names the revision on which it is based. Under the lock of the row, it is refused if the revision has changed.',
      heldBy: [
        'packages/server/test/people/roles/routes.test.ts',
        'packages/server/test/people/users/routes.test.ts',
        'npm run browser -- trouble',
      ],
    },
    {
      id: 'T117',
      attack:
        'A user with every right in the database removes a record of the audit log, and presents it as removed by the retention of its month.',
      defence:
        'Only an operator removes old records: whole months, after the whole log was verified. A checkpoint under a key that is not in the database binds the positions of all removed records. Log heads that were exported before the removal are still compared with them.',
      heldBy: [
        'test/attack/login-log-roles.test.ts',
        'packages/server/test/logs/evidence/audit-log-retention.test.ts',
        'test/tamper/main.ts',
      ],
      open: 'If a chain was rebuilt before the removal, and an instance without memory of the original chain has signed it since, only a head that was exported earlier shows it.',
    },
    {
      id: 'T118',
      attack: 'A temporary right is used after its end, or its holder uses it to give a permanent right.',
      defence:
        'Every member ends the rule at the latest time that the database’s clock can show, whatever the member’s own clock shows. A request with a delayed body and a write in progress are checked again. Only permanent rules decide whether a caller can grant rules.',
      heldBy: [
        'npm run chaos -- rule-end',
        'packages/gate/test/member/access-memory.test.ts',
        'packages/server/test/cluster/caller-at-commit.test.ts',
        'packages/server/test/permissions/rules/covers-rules.test.ts',
      ],
    },
  ],
};
