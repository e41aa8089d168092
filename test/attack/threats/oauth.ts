// T269 to T279: what somebody does with services that speak OAuth 2 and no OpenID, and what Portcullis does about it.
import type { Section } from './threat.ts';

const story = 'test/conformance/oauth.test.ts';
const unit = 'packages/server/test/sign-in/providers/oauth/oauth-kind.test.ts';

export const oauth: Section = {
  title: 'OAuth 2 without OpenID',
  threats: [
    {
      id: 'T269',
      attack:
        'The answer of a service that was not asked for: of the attacker’s own journey, with another state, twice, or for a link instead of a login',
      defence:
        'The state is made of the handle of the attempt, which only the page has; each purpose has its own, and an attempt is answered once. It is judged before anything is asked, for every service alike',
      heldBy: [story],
    },
    {
      id: 'T270',
      attack: 'A code that was given to somebody else, put into the answer to the own attempt',
      defence: 'PKCE, unless the settings say that the service takes none',
      open: 'DingTalk and WeCom take none: whoever gets hold of a code of theirs within minutes, and before it is used, gets in with it. The check of the provider says so.',
    },
    {
      id: 'T271',
      attack: 'The answer of one service in the place of another (mix-up)',
      defence:
        'An attempt leads to one provider, and every provider has a return address of its own, which the service compares',
    },
    {
      id: 'T272',
      attack: 'A refusal that is read as a token or a person: an error in HTTP 200, a token of another type',
      defence:
        '`error`, `errcode` and the place of a status are refusals whatever the HTTP status is; a token is a text of the type `bearer`',
      heldBy: [unit],
    },
    {
      id: 'T273',
      attack: 'A subject that is none: a boolean, an object, a number that was rounded, empty or endless',
      defence:
        'A text of 255 letters at most, or a whole number that JSON has exactly; only what the answer itself holds at the place',
      heldBy: [unit],
    },
    {
      id: 'T274',
      attack:
        'Somebody of another company at the same service, or an outsider who has an account there as well',
      defence:
        'The tenant of Feishu and the company of DingTalk are pinned: a preset without them is refused. Of WeCom only a `userid` of the company itself counts',
      open: 'GitHub has no company to pin: everybody with an account there is vouched for, so that only who is linked or invited should be admitted. The check of the provider says so.',
    },
    {
      id: 'T275',
      attack: 'An account taken over by a mail address, a name, or the same subject elsewhere',
      defence:
        'The key of a link is provider and subject, byte for byte; nothing else of the answer is looked up',
      open: 'A `userid` of WeCom can be given to somebody else by the company: end the link of who left.',
    },
    {
      id: 'T276',
      attack: 'A service that hangs, answers slowly or a megabyte, fails, or sends elsewhere',
      defence:
        'Three seconds in all and 256 KB for an answer, no redirect; each provider has places of its own',
    },
    {
      id: 'T277',
      attack:
        'An address in the settings that leads into the own network or goes without TLS; a parameter that replaces the state',
      defence:
        'https alone, without a user and a query; every address that is connected to must be public or in `provider.networks`. What a journey is made of cannot be set',
    },
    {
      id: 'T278',
      attack: 'Settings under which a subject is somebody else',
      defence:
        'Addresses, client and the place of the subject stay while there are links; other settings end the sessions',
    },
    {
      id: 'T279',
      attack: 'Somebody who left there keeps a session here',
      defence:
        'Disabling the user and ending the link end the sessions before the call returns; `lifetimeSeconds` bounds every other one',
      open: 'No such service says that somebody left: until one of these is done, or the token expires, the session lives.',
    },
  ],
};
