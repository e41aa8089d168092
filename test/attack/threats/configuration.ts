// Threats T97 to T101, the chapter “Configuration, supply chain, operation”.
import type { Section } from './threat.ts';

export const configuration: Section = {
  title: 'Configuration, supply chain, operation',
  page: 'configuration',
  threats: [
    {
      id: 'T97',
      attack: 'Secrets appear in the environment, the command line or the image.',
      defence:
        'Every secret can come from a file. Outside dev, other users must not be able to read this file. No secret is an argument, and none is printed.',
    },
    {
      id: 'T98',
      attack: 'Health and metrics are open to everyone.',
      defence:
        'They have a separate listener on loopback, which answers alive, ready and metrics and nothing else.',
    },
    {
      id: 'T99',
      attack: 'A dependency has a vulnerability.',
      defence:
        'There are few dependencies, each with a reason. The lock file pins exact versions and their content. There are no install scripts and no bridges to other frameworks.',
      heldBy: ['test/repository/dependencies.test.ts'],
      open: '`npm audit` asks a registry, so it runs where a registry is available, and not in this suite.',
    },
    {
      id: 'T100',
      attack: 'An attacker impersonates Postgres.',
      defence:
        'Outside dev, the service starts with a database on another host only if TLS is verified, or if the operator sets `database.allowPlaintext` for a private network.',
      heldBy: ['packages/server/test/base/settings/lint-transport.test.ts'],
    },
    {
      id: 'T101',
      attack: 'An attacker writes entries into the short-lived store to gain access.',
      defence:
        'There is no Redis. Captchas and counters are Postgres tables behind two interfaces (`CaptchaStore`, `ThrottleStore`), and no entry in them grants anything. Rules, roles, keys and revocations are in other tables.',
    },
  ],
};
