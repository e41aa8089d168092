// Threats T235 to T249, the chapter “Mail, invitations and password resets”.
import type { Section } from './threat.ts';

export const mail: Section = {
  title: 'Mail, invitations and password resets',
  page: 'mail',
  threats: [
    {
      id: 'T235',
      attack: 'A password link or an invitation is used a second time.',
      defence:
        'The transaction that sets the password deletes the code. Of any number of callers, one succeeds.',
    },
    {
      id: 'T236',
      attack: 'An attacker guesses the code of a link.',
      defence:
        'A code has 256 bits, behind a separate id, and only its hash is stored. After five wrong codes the right one is rejected too. Another spelling of the same bytes is a different code.',
    },
    {
      id: 'T237',
      attack: 'The code of one person is used for another.',
      defence:
        'The code alone decides whose it is; nothing else in the request does. The id and the code belong together.',
    },
    {
      id: 'T238',
      attack: 'A link re-enables a disabled account.',
      defence:
        'A disabled account receives no link. The database deletes its existing links when the account is disabled, also if an instance of the previous version disables it.',
    },
    {
      id: 'T239',
      attack:
        'A link gives a password to an account without one: a program, a provider’s user, or a person who was invited.',
      defence:
        'Only an account with a password can reset a forgotten one. An invited person asks the administrator for a new invitation.',
    },
    {
      id: 'T240',
      attack: 'A host name in the request changes the address in a link.',
      defence: 'The address of the link’s page is a setting. Without it there are no links.',
    },
    {
      id: 'T241',
      attack: 'An attacker fills a person’s mailbox, or uses up the quota of the mail server.',
      defence:
        'Each request needs a captcha. There are daily limits per address, per network and in all, which are the same for known and unknown addresses. A person receives at most ten notices of a kind per day.',
      heldBy: ['npm run chaos -- mail'],
    },
    {
      id: 'T242',
      attack:
        'An address contains a comma, a line break or a look-alike letter, to add recipients or headers, or to reach another person.',
      defence:
        'One grammar of plain ASCII checks the address when it is entered and again when mail is sent. Recipients are passed as objects, and the envelope separately. A link is sent to the address as the account has it, never as it was typed.',
    },
    {
      id: 'T243',
      attack: 'A display name is markup, a link or a picture.',
      defence:
        'Names are escaped text in the body, inserted once, and never in a header. A mail loads nothing.',
    },
    {
      id: 'T244',
      attack: 'An attacker requests a link to learn whether an address, or an enabled account, exists.',
      defence:
        'The request stores one row, the same for every address. The mail sender looks up the owner later, at its own pace. The response, the headers and the response time are the same.',
    },
    {
      id: 'T245',
      attack: 'A link is older than a change of the password or the address, or comes from an old mailbox.',
      defence:
        'The database invalidates the links in the transaction of the change. Links are valid for 30 minutes, invitations for 72 hours. A link that an administrator creates invalidates the earlier ones.',
    },
    {
      id: 'T246',
      attack: 'A link bypasses the login, its second factor, or the end of sessions.',
      defence:
        'A link sets a password and returns nothing else. When the call returns, all sessions of the account have ended on every member. The next login requires what it always requires.',
    },
    {
      id: 'T247',
      attack: 'An attacker with a stolen token changes the account’s mail address and then requests a link.',
      defence:
        'A person cannot change their own address with a token. Setting the address of others needs a separate permission and the same right to manage as a password reset.',
    },
    {
      id: 'T248',
      attack: 'An attacker reads codes and addresses from the queue, a dump or a log.',
      defence:
        'A code is derived from its id with the master key, and stored as a hash. The row loses the address and the content when the mail is sent. Responses of the mail server are stored without addresses.',
    },
    {
      id: 'T249',
      attack: 'A program requests links automatically.',
      defence: 'Each request costs a captcha, and the first use consumes it.',
    },
  ],
};
