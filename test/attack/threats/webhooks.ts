// Threats T250 to T259, the chapter “Webhooks”.
import type { Section } from './threat.ts';

const rooms = ['packages/server/test/people/webhooks/delivery-worker.test.ts'];

export const webhooks: Section = {
  title: 'Webhooks',
  page: 'webhooks',
  threats: [
    {
      id: 'T250',
      attack:
        'A webhook leads into the internal network (SSRF): private and link-local addresses, the metadata service, in every spelling.',
      defence:
        'Only public addresses over HTTPS are allowed. Other networks must be listed in `webhook.allowedNetworks`, which only an operator can set. `http://` works to this host alone, and only with `webhook.allowLoopback`.',
    },
    {
      id: 'T251',
      attack: 'A name resolves to a private address, now or at the second lookup (DNS rebinding).',
      defence:
        'Each connection looks the name up once and checks all its addresses, and connects to one of these. The address of the open socket is checked again before anything is sent.',
    },
    {
      id: 'T252',
      attack: 'A receiver redirects into the internal network.',
      defence: 'Redirects are not followed. A redirect counts as a failure.',
    },
    {
      id: 'T253',
      attack: 'An attacker sends replayed or forged events to a receiver.',
      defence:
        'Every event is signed with its id and time, according to Standard Webhooks. The documented receiver rejects events that are older than five minutes, and recognizes a repeated event by its id.',
    },
    {
      id: 'T254',
      attack: 'A leaked secret was replaced, but is still valid.',
      defence:
        'Both secrets sign until the rotation is finished, for at most a day. When the finishing call has returned, the old secret signs nothing.',
    },
    {
      id: 'T255',
      attack:
        'An attacker reads the secret of a webhook, or the secret in a receiver’s URL, from responses, logs, events or the database.',
      defence:
        'The secret is shown once, and stored encrypted with the master key for this webhook alone. The audit log contains only the host of the URL.',
    },
    {
      id: 'T256',
      attack: 'A receiver responds without end, or with a megabyte of headers.',
      defence: 'Only the status counts. The service reads 16 KiB of the body, then closes the connection.',
    },
    {
      id: 'T257',
      attack: 'A receiver hangs, to delay logins, other webhooks or the deletion of a webhook.',
      defence:
        'A try has five seconds, and the pause between tries grows. Webhooks have separate Postgres connections and look up one name at a time. Logins never wait for them.',
      heldBy: rooms,
    },
    {
      id: 'T258',
      attack: 'A role that can call every endpoint receives events about everyone.',
      defence:
        'Only `admin` can manage webhooks, whatever the rules say. Every change of a webhook is recorded.',
    },
    {
      id: 'T259',
      attack: 'Events disappear unnoticed: by failed deliveries, skips or retention.',
      defence:
        'A failed delivery (dead letter) blocks the later events of its object until it is replayed or skipped. A skip is recorded with its event. Records that the retention removed before delivery are counted and shown, also as a metric.',
      heldBy: rooms,
    },
  ],
};
