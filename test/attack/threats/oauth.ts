// Threats T269 to T279, the chapter “OAuth 2 without OpenID”.
import type { Section } from './threat.ts';

const story = 'test/conformance/oauth.test.ts';
const unit = 'packages/server/test/sign-in/providers/oauth/oauth-kind.test.ts';

export const oauth: Section = {
  title: 'OAuth 2 without OpenID',
  page: 'oauth',
  threats: [
    {
      id: 'T269',
      attack:
        'A service’s response answers no request of this login: it comes from the attacker’s own login, has another state, is sent twice, or answers a login where a link was requested.',
      defence:
        'The state is derived from the handle of the login, which only the page has. Each purpose has its own state, and a login accepts one response. The state is checked before any request to the service, for every service alike.',
      heldBy: [story],
    },
    {
      id: 'T270',
      attack: 'An attacker puts another person’s code into the response to their own login.',
      defence: 'PKCE, unless the settings say that the service does not support it.',
      open: 'DingTalk and WeCom do not support it. An attacker who gets one of their codes can log in with it, within minutes and before it is used. The provider check reports this.',
    },
    {
      id: 'T271',
      attack: 'The response of one service is used for another one (mix-up).',
      defence:
        'A login belongs to one provider, and every provider has its own redirect address, which the service compares.',
    },
    {
      id: 'T272',
      attack: 'A refusal is read as a token or a person: an error in HTTP 200, or a token of another type.',
      defence:
        '`error`, `errcode` and the configured status field mean a refusal, whatever the HTTP status is. A token is a text of the type `bearer`.',
      heldBy: [unit],
    },
    {
      id: 'T273',
      attack:
        'The subject is not a valid subject: a boolean, an object, a rounded number, empty or very long.',
      defence:
        'A subject is a text of at most 255 characters, or a whole number that JSON represents exactly. It must be at the configured field of the response itself.',
      heldBy: [unit],
    },
    {
      id: 'T274',
      attack:
        'A person of another company at the same service, or an outsider with an account there, logs in.',
      defence:
        'The tenant of Feishu and the company of DingTalk are pinned: a preset without them is rejected. For WeCom, only a `userid` of the company itself counts.',
      open: 'GitHub has no company to pin: it confirms everyone with a GitHub account. Therefore admit only people who are linked or invited. The provider check reports this.',
    },
    {
      id: 'T275',
      attack:
        'An attacker takes over an account by a mail address, a name, or the same subject at another provider.',
      defence:
        'The key of a link is provider and subject, compared byte by byte. No other field of the response is looked up.',
      open: 'A company can give a WeCom `userid` to another person: end the link of a person who leaves.',
    },
    {
      id: 'T276',
      attack: 'A service hangs, answers slowly or with a megabyte, fails, or redirects.',
      defence:
        'The limits are three seconds in all and 256 KB per response; redirects are not followed. Each provider has its own slots.',
    },
    {
      id: 'T277',
      attack:
        'An address in the settings leads into the internal network (SSRF) or has no TLS, or a parameter replaces the state.',
      defence:
        'Only https addresses without a user and a query are allowed. Every address to which the service connects must be public or in `provider.allowedNetworks`. The settings cannot change the parameters of the login flow.',
    },
    {
      id: 'T278',
      attack: 'A change of settings makes a subject identify another person.',
      defence:
        'Addresses, client and the field of the subject stay while links exist. Other settings end the sessions.',
    },
    {
      id: 'T279',
      attack: 'A person who left the other service keeps a session here.',
      defence:
        'Disabling the user or ending the link ends the sessions before the call returns. `lifetimeSeconds` limits every other session.',
      open: 'These services do not report that a person has left. The session lives until an administrator does one of these, or until the token expires.',
    },
  ],
};
