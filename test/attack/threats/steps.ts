// T307 to T312: calls of several steps that are cut off, repeated or run twice at once, and lists with one bad entry.
import type { Section } from './threat.ts';

const recheck = 'packages/server/test/sign-in/providers/ldap/recheck.test.ts';

export const steps: Section = {
  title: 'Calls of several steps, and lists with one bad entry',
  threats: [
    {
      id: 'T307',
      attack:
        'Sessions that rest on the old settings of a provider: the call that changes the settings is cut off before it has ended them, or sent twice at once, and the same call returns 200 because the settings are already stored',
      defence:
        'The database stores the epoch of the last change of the settings. Each call that gives settings ends all sessions of an earlier epoch before it returns, also where it changes nothing',
    },
    {
      id: 'T308',
      attack:
        'A login record that was put aside and cannot be read, has no date or names what Postgres cannot store: the webhook never gets past it',
      defence: 'Such a record counts as deleted, and the records behind it are delivered',
      heldBy: ['packages/server/test/people/webhooks/event-store.test.ts'],
    },
    {
      id: 'T309',
      attack:
        'A previous webhook secret that no master key opens keeps the present one sealed with the old master key, which is then thrown away: nothing is signed or sent any more',
      defence: 'A change of the master key encrypts each secret independently of the others',
      heldBy: ['packages/server/test/people/webhooks/webhook-secrets.test.ts'],
    },
    {
      id: 'T310',
      attack:
        'A person who cannot be erased, such as the last administrator of a restored backup, comes first in the list of receipts: all people behind stay readable',
      defence:
        'The command goes on with the others, names the accounts that it did not erase, and ends with an error',
      heldBy: ['packages/operator/test/cli/user-erasure.test.ts'],
    },
    {
      id: 'T311',
      attack:
        'An administrator is disabled while a recheck of a directory is on its way: it ends logins, and is recorded under the name of the administrator, after the call that disabled the administrator returned',
      defence:
        'The first write of a recheck checks the caller as its last step. What follows from it runs with the rights of the service',
      heldBy: [recheck],
    },
    {
      id: 'T312',
      attack:
        'A directory that fails for good, such as one whose secret does not open: directories behind it are never asked again, and people who have left there keep their access',
      defence: 'Each directory is asked on its own; then the failures are reported',
      heldBy: [recheck],
    },
  ],
};
