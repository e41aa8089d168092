// T97 to T101: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const configuration: Section = {
  title: 'Configuration, supply chain, operation',
  threats: [
    {
      id: 'T97',
      attack: 'Secrets in the environment, the command line, the image',
      defence:
        'Every secret may come from a file, which nobody else may read outside dev; none is ever an argument or printed',
    },
    {
      id: 'T98',
      attack: 'Health and metrics for everybody',
      defence: 'A listener of its own on loopback that says alive and ready and nothing else',
    },
    {
      id: 'T99',
      attack: 'A vulnerable dependency',
      defence:
        'Few, each with a reason, exact and by content in the lock file; no install scripts, no bridges to other frameworks',
      heldBy: ['test/repository/dependencies.test.ts'],
      open: '`npm audit` asks a registry, so it runs where there is one and not in this suite.',
    },
    {
      id: 'T100',
      attack: 'Somebody who poses as Postgres',
      defence:
        'Outside dev no start with a way to another host that is not verified TLS, unless the operator vouches for it',
      heldBy: ['packages/server/test/base/settings/lint-transport.test.ts'],
    },
    {
      id: 'T101',
      attack: 'Poisoned entries of the short-lived store give access',
      defence:
        'There is no Redis: captchas and counts are tables of Postgres behind seams (`CaptchaStore`, `ThrottleStore`), and nothing in them can grant; rules, roles, keys and revocations stand elsewhere',
    },
  ],
};
