// T300 to T305: accounts that a provider decides about, and what Portcullis does about another way in.
import type { Section } from './threat.ts';

export const decided: Section = {
  title: 'Accounts that a provider decides about',
  threats: [
    {
      id: 'T300',
      attack:
        'A person signs in by a passkey or a password here, although a directory or another provider decides about the account',
      defence:
        'The database stores no session of such an account that a provider did not prove; a passkey is accepted as the second factor after the provider',
      heldBy: ['packages/server/test/sign-in/providers/provider-guard.test.ts'],
    },
    {
      id: 'T301',
      attack:
        'A person who left keeps a session that a passkey or a password opened before the account was linked',
      defence:
        'A recheck asks the directory for every linked person who has a session, and ends all sessions of a person who left, whatever method proved them',
    },
    {
      id: 'T302',
      attack:
        'The old password or passkey of a person opens the account again when the directory is disabled or deleted, or the link ended',
      defence:
        'A link stays decisive while its provider is disabled, and after it is gone until an administrator resets the password: the person cannot change it',
      heldBy: ['packages/server/test/people/own/own-password.test.ts'],
    },
    {
      id: 'T303',
      attack:
        'A person takes the account away from the directory, or the last administrator is locked out by a link',
      defence:
        'People cannot end the link of a directory themselves. The last administrator who can sign in without a provider cannot be linked to a directory, disabled or moved to another role',
    },
    {
      id: 'T304',
      attack:
        'A member of a group that is mapped to a disabled role signs in with groups that cannot be read: too many, a text, or none because of an overage',
      defence:
        'Where a mapping names a group, groups that are not known are refused with a reason of their own in the login log; the star does not stand in for them',
      heldBy: ['packages/server/test/sign-in/providers/oauth/read-user.test.ts'],
    },
    {
      id: 'T305',
      attack: 'A plan of mappings says that people are locked out who can still sign in',
      defence:
        'For each person whom the provider refuses, the plan names the methods that are left, and they are part of its digest',
    },
  ],
};
