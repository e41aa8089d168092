// Threats T164 to T172, the chapter “OpenID Connect providers”.
import type { Section } from './threat.ts';

const story = 'test/conformance/providers.test.ts';

export const directories: Section = {
  title: 'OpenID Connect providers',
  page: 'openid-connect',
  threats: [
    {
      id: 'T164',
      attack:
        'A provider’s response answers no request of this login: it comes from the attacker’s own login (login CSRF), has another state or code, is sent twice, or answers a login where a link was requested.',
      defence:
        'State, nonce and PKCE are derived from the handle of the login, which only the page has and which no address contains. Each purpose has its own values, and a login accepts one response.',
    },
    {
      id: 'T165',
      attack: 'The response of one provider is used for another one (mix-up).',
      defence:
        'A login belongs to one provider, and each provider has its own redirect address. The issuer is required if the provider announces it.',
    },
    {
      id: 'T166',
      attack:
        'An ID token is unsigned, signed with a shared secret or another key, for another client, expired, or without a subject.',
      defence:
        'Only asymmetric signatures by a published key are accepted. Issuer, audience, nonce and times are checked, and so is the format of the subject.',
    },
    {
      id: 'T167',
      attack: 'A person of another tenant of the same provider signs in.',
      defence: '`tid` or `hd` is pinned, and must match exactly.',
    },
    {
      id: 'T168',
      attack:
        'An attacker takes over an account by a mail address, a name, a look-alike subject, the same subject of another provider, or a code that another person was given.',
      defence:
        'The key of a link is provider and subject, compared byte by byte. A link needs the account’s password again, or a code that is valid once.',
      heldBy: [story],
    },
    {
      id: 'T169',
      attack: 'A provider hangs, answers slowly or endlessly, fails, redirects, or changes its keys.',
      defence:
        'The limits are three seconds and 256 KB; redirects are not followed. Each provider has its own slots, so that passwords and other providers continue to work. New keys are fetched within a second.',
    },
    {
      id: 'T170',
      attack:
        'The address of a provider, or an address in its discovery document, leads into the internal network (SSRF).',
      defence:
        'Only https is allowed. Every address to which the service connects must be public or in `provider.allowedNetworks`, whatever its name or spelling.',
      heldBy: ['packages/server/test/base/outbound/checked-connection.test.ts'],
    },
    {
      id: 'T171',
      attack:
        'Logout tokens are replayed, come from another provider or client, are old, or are tokens of a login. A logout overtakes its login. A provider closes the connection early.',
      defence:
        'Signature, issuer, audience, event, age and id are checked, and each id is accepted once. When the service stores a session, it checks again whether the provider has ended it. The work continues when the connection is closed.',
      heldBy: [story, 'packages/server/test/sign-in/providers/provider-guard.test.ts'],
    },
    {
      id: 'T172',
      attack:
        'A caller with access to the provider endpoints sends people to another site, or sends the service’s secret there.',
      defence:
        'Only a caller who can manage everyone can change a provider. The issuer stays while links exist. Other settings end the sessions. The secret is stored encrypted and never shown.',
    },
  ],
};
