// T250 to T259: what somebody does with events that are told to others, and what Portcullis does about it.
import type { Section } from './threat.ts';

const rooms = ['packages/server/test/people/webhooks/delivery-worker.test.ts'];

export const webhooks: Section = {
  title: 'Events for others',
  threats: [
    {
      id: 'T250',
      attack:
        'A webhook that points into the own network: private and link-local addresses, the metadata service, in every spelling',
      defence:
        'Public addresses over HTTPS alone. Others are named in `webhook.networks`, which only an operator sets; `http://` goes to this host alone, and only with `webhook.loopback`',
    },
    {
      id: 'T251',
      attack: 'A name that stands for a private address, now or at the second look (DNS rebinding)',
      defence:
        'A name is looked up once for a connection, all its addresses are checked, and the connection goes to one of these. The address of the open socket is checked again before anything is said',
    },
    {
      id: 'T252',
      attack: 'A receiver that redirects into the own network',
      defence: 'Redirects are not followed: such an answer is a failure',
    },
    {
      id: 'T253',
      attack: 'Events that are replayed or forged towards a receiver',
      defence:
        'Every event is signed with id and time, as Standard Webhooks has it; the documented receiver refuses what is older than five minutes and knows an event by its id',
    },
    {
      id: 'T254',
      attack: 'A secret that leaked and was replaced',
      defence:
        'Both secrets sign until the rotation is finished, for a day at most. When that call has returned, the old one signs nothing',
    },
    {
      id: 'T255',
      attack:
        'Reading the secret of a webhook, or that of a receiver in its URL, from answers, logs, events or the database',
      defence:
        'It is shown once, and stored sealed with the master key for that webhook alone. The audit log has the host of the URL',
    },
    {
      id: 'T256',
      attack: 'A receiver that answers without end, or with a megabyte of headers',
      defence: 'The status counts. 16 KiB of the rest are read, then the connection is cut',
    },
    {
      id: 'T257',
      attack: 'A receiver that hangs, to hold up logins, other webhooks or the end of a hook',
      defence:
        'Five seconds a try, then a pause that grows. Connections to Postgres of its own, one name looked up at a time, and nobody who logs in waits',
      heldBy: rooms,
    },
    {
      id: 'T258',
      attack: 'Being told of everybody by a role that may call every endpoint',
      defence: 'Webhooks are left to `admin`, whatever the rules say, and every change of them is recorded',
    },
    {
      id: 'T259',
      attack: 'Making events vanish: dead letters, skips and sweeps that nobody notices',
      defence:
        'A dead letter holds its object until it is replayed or skipped; a skip is recorded with its event; what was swept before it was told is counted, shown and a metric',
      heldBy: rooms,
    },
  ],
};
