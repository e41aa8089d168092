// Threats T307 to T312, the chapter “Calls of several steps, and lists with one bad entry”.
import type { Section } from './threat.ts';

const recheck = 'packages/server/test/sign-in/providers/ldap/recheck.test.ts';

export const steps: Section = {
  title: 'Calls of several steps, and lists with one bad entry',
  page: 'multi-step-calls',
  threats: [
    {
      id: 'T307',
      attack:
        'Sessions depend on the old settings of a provider. The call that changes the settings is interrupted before it has ended them, or is sent twice at once, and the same call returns 200 because the settings are already stored.',
      defence:
        'The database stores the epoch of the last change of the settings. Each call that gives settings ends all sessions of an earlier epoch before it returns, also if it changes nothing.',
    },
    {
      id: 'T308',
      attack:
        'A rejected login record cannot be read, has no date or contains data that Postgres cannot store: the webhook never gets past it.',
      defence: 'Such a record counts as deleted, and the later records are delivered.',
      heldBy: ['packages/server/test/people/webhooks/event-store.test.ts'],
    },
    {
      id: 'T309',
      attack:
        'A previous webhook secret cannot be decrypted with any master key, so the current one stays encrypted with the old master key, which is then discarded: nothing is signed or sent any more.',
      defence: 'A change of the master key encrypts each secret independently of the others.',
      heldBy: ['packages/server/test/cluster/store/reseal-store.test.ts'],
    },
    {
      id: 'T310',
      attack:
        'A person who cannot be erased, such as the last administrator of a restored backup, comes first in the list of receipts: the data of all later people stays readable.',
      defence:
        'The command continues with the others, names the accounts that it did not erase, and ends with an error.',
      heldBy: ['packages/operator/test/cli/user-erasure.test.ts'],
    },
    {
      id: 'T311',
      attack:
        'An administrator is disabled while a recheck of a directory is in progress. The recheck ends logins, recorded under the administrator’s name, after the call that disabled the administrator returned.',
      defence:
        'The first write of a recheck checks the caller as its last step. Later writes of the recheck run with the rights of the service.',
      heldBy: [recheck],
    },
    {
      id: 'T312',
      attack:
        'A directory fails permanently, for example because its secret cannot be decrypted: later directories are never asked again, and people who have left there keep their access.',
      defence: 'Each directory is asked independently; the failures are reported afterwards.',
      heldBy: [recheck],
    },
  ],
};
