// T115 to T118: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const records: Section = {
  title: 'Records that people take for others, or change at the same time',
  threats: [
    {
      id: 'T115',
      attack:
        'A username or a role that looks like another: a letter of another script, one that shows nothing, a role named like admin',
      defence:
        'A username has letters of one script, and so does every word of a display name; characters that show nothing are in none; a role is not named like `admin`',
      heldBy: [
        'packages/contract/test/display-name.test.ts',
        'packages/server/test/people/roles/admin-look-alike.test.ts',
      ],
      open: 'Names that stand wholly in another script and look like a Latin one. Names from before stay',
    },
    {
      id: 'T116',
      attack: 'A revocation that a colleague undoes without knowing, with a form that was opened before it',
      defence:
        'A change sends only what changed and names the revision that it was decided on; under the lock of the row it is refused where that is another one by now',
      heldBy: [
        'packages/server/test/people/roles/routes.test.ts',
        'packages/server/test/people/users/routes.test.ts',
        'npm run browser -- trouble',
      ],
    },
    {
      id: 'T117',
      attack:
        'A record of the audit log that somebody with every right in the database removes, and passes off as swept with its month',
      defence:
        'Only an operator sweeps, whole months, after the whole log was verified. A checkpoint under a key that the database does not hold binds the places of all that was swept: they stay, and heads that were kept before the sweep are still held against them',
      heldBy: [
        'test/attack/login-log-roles.test.ts',
        'packages/server/test/logs/evidence/audit-log-retention.test.ts',
        'test/tamper/main.ts',
      ],
      open: 'A chain that was made anew before the sweep, and signed since by an instance that remembered nothing, shows only against a head that was kept elsewhere before',
    },
    {
      id: 'T118',
      attack:
        'A right that was given for a while is used after its end, or given to somebody for good before it',
      defence:
        'Every member closes by the latest that the database’s clock can show, whatever its own says; a held-back body and a write on its way are judged again; who may give rules is found out by the lasting ones; a member of an earlier version is given none',
      heldBy: [
        'npm run chaos -- rule-end',
        'packages/gate/test/member/access-memory.test.ts',
        'packages/server/test/cluster/caller-at-commit.test.ts',
        'packages/server/test/permissions/rules/covers-rules.test.ts',
        'packages/server/test/permissions/decision-api/guard/guard-api.test.ts',
      ],
    },
  ],
};
