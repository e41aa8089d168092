// T164 to T172: what somebody does with the company's directory, and what Portcullis does about it.
import type { Section } from './threat.ts';

const story = 'test/conformance/providers.test.ts';

export const directories: Section = {
  title: 'The company’s directory',
  threats: [
    {
      id: 'T164',
      attack:
        'The answer of a provider that was not asked for: of the attacker’s own journey (login CSRF), with another state or code, twice, or for a link instead of a login',
      defence:
        'State, nonce and PKCE are made of the handle of the attempt, which only the page has and which is in no address; each purpose has its own, and an attempt is answered once',
    },
    {
      id: 'T165',
      attack: 'The answer of one provider in the place of another (mix-up)',
      defence:
        'An attempt leads to one provider, which has a redirect address of its own; the issuer is demanded where the provider announces it',
    },
    {
      id: 'T166',
      attack:
        'An ID token that is unsigned, signed with a shared secret or another key, for somebody else, expired, or without a subject',
      defence:
        'Asymmetric signatures by a published key alone; issuer, audience, nonce and times are checked, and so is what a subject may be',
    },
    {
      id: 'T167',
      attack: 'Somebody of another tenant of the same provider',
      defence: '`tid` or `hd` is pinned, and must be exactly that',
    },
    {
      id: 'T168',
      attack:
        'An account taken over by a mail address, a name, a subject that looks alike, the same subject elsewhere, or a code that was given to another',
      defence:
        'The key of a link is provider and subject, byte for byte. Links are made with the own password once more, or by a code that is good once',
      heldBy: [story],
    },
    {
      id: 'T169',
      attack:
        'A provider that hangs, answers slowly or endlessly, fails, sends elsewhere, or changes its keys',
      defence:
        'Three seconds and 256 KB, no redirect; each provider has places of its own, so that passwords and other providers go on. New keys are asked for within a second',
    },
    {
      id: 'T170',
      attack: 'The address of a provider, or one in its discovery document, that leads into the own network',
      defence:
        'https alone; every address that is connected to must be public or in `provider.networks`, whatever its name or spelling',
      heldBy: ['packages/server/test/sign-in/providers/ssrf-guard.test.ts'],
    },
    {
      id: 'T171',
      attack:
        'Logout tokens that are replayed, of another provider or client, old, or tokens of a login; a logout that overtakes its login; a provider that hangs up',
      defence:
        'Signature, issuer, audience, event, age and id are checked, each id is good once; what a provider ended is asked again where a session is stored; the work is not the connection’s',
      heldBy: [story, 'packages/server/test/sign-in/providers/provider-guard.test.ts'],
    },
    {
      id: 'T172',
      attack:
        'Whoever may call the endpoints of providers leads people elsewhere, or reads the secret of the service there',
      defence:
        'Only who reaches everybody changes a provider; the issuer stays while there are links; other settings end the sessions; the secret is sealed and never shown',
    },
  ],
};
