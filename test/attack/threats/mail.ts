// T235 to T249: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const mail: Section = {
  title: 'Mail, invitations and forgotten passwords',
  threats: [
    {
      id: 'T235',
      attack: 'Using a link for a new password, or an invitation, a second time',
      defence:
        'Its code is deleted in the transaction that sets the password: of any number of callers, one gets it',
    },
    {
      id: 'T236',
      attack: 'Guessing the code of a link',
      defence:
        '256 bits behind an id of their own, of which the hash is stored; after five wrong ones the right one is refused too. Another spelling of the same bytes is another code',
    },
    {
      id: 'T237',
      attack: 'Using the code of one person for another',
      defence:
        'The code itself says whose it is, and nothing else of the request does; id and code belong together',
    },
    {
      id: 'T238',
      attack: 'Opening a disabled account with a link',
      defence:
        'It is sent none, and the database deletes those that it has when it is disabled, also where an instance of the version before disables it',
    },
    {
      id: 'T239',
      attack:
        'Giving a password to an account that has none: of a program, of a provider’s people, of somebody who was invited',
      defence: 'A forgotten password is for who has one. Whoever was invited asks the administrator again',
    },
    {
      id: 'T240',
      attack: 'A host name in the request that a link then points to',
      defence: 'The page of a link is a setting. Without it there are no links at all',
    },
    {
      id: 'T241',
      attack: 'Filling somebody’s mailbox, or using up what the mail server takes',
      defence:
        'A captcha before, and so many a day for an address, from a network and in all, alike for known and unknown ones; ten notices of a kind a day for a person',
      heldBy: ['npm run chaos -- mail'],
    },
    {
      id: 'T242',
      attack:
        'An address with a comma, a line break or a letter that looks like another: more recipients, more headers, somebody else',
      defence:
        'One grammar of plain ASCII for what is typed and, again, for what is sent; recipients are given as objects and the envelope by itself. A link goes to the address as the account has it, never as it was typed',
    },
    {
      id: 'T243',
      attack: 'A display name that is markup, a link or a picture',
      defence:
        'Names are escaped text of the body, filled in once, and in no header. A mail has nothing to fetch',
    },
    {
      id: 'T244',
      attack: 'Asking for a link to learn whether an address, or an enabled account, is there',
      defence:
        'The request stores one row, the same for every address. Whose it is, is looked up by what sends mail, at its own pace; the same answer, headers and time',
    },
    {
      id: 'T245',
      attack: 'A link of before the password or the address was changed, or from an old mailbox',
      defence:
        'Ended by the database in the transaction of the change. 30 minutes, invitations 72 hours; a link that an administrator makes ends those before it',
    },
    {
      id: 'T246',
      attack: 'A link as a way around login, its second factor, or the end of sessions',
      defence:
        'It sets a password and answers nothing else. All sessions are over on every member when it returns, and login asks for what it always asks',
    },
    {
      id: 'T247',
      attack: 'A stolen token that points the own address elsewhere, and then asks for a link',
      defence:
        'Nobody changes the own address with a token. To set one for others is a permission of its own and reaches as far as resetting their password',
    },
    {
      id: 'T248',
      attack: 'Reading codes and addresses from the queue, a dump or a log',
      defence:
        'A code is made from its id with the master key, and is stored as a hash; address and facts leave the row when the mail is sent; what a server answers is kept without addresses',
    },
    {
      id: 'T249',
      attack: 'Asking for links by a program',
      defence: 'Each costs a captcha, which is spent by its first use',
    },
  ],
};
