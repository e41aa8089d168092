// Threats T300 to T305, the chapter “Accounts that a provider decides about”.
import type { Section } from './threat.ts';

export const decided: Section = {
  title: 'Accounts that a provider decides about',
  page: 'provider-accounts',
  threats: [
    {
      id: 'T300',
      attack:
        'A person signs in with a local passkey or password, although a directory or another provider decides about the account.',
      defence:
        'The database stores no session of such an account that the provider did not prove. A passkey is accepted as the second factor after the provider.',
      heldBy: ['packages/server/test/sign-in/providers/provider-guard.test.ts'],
    },
    {
      id: 'T301',
      attack:
        'A person who left keeps a session that a passkey or a password opened before the account was linked.',
      defence:
        'A recheck asks the directory for every linked person who has a session, and ends all sessions of a person who left, whatever method proved them.',
    },
    {
      id: 'T302',
      attack:
        'A person’s old password or passkey opens the account again after the directory is disabled or deleted, or the link ends.',
      defence:
        'A link stays decisive while its provider is disabled. After the link has ended, it stays decisive until an administrator resets the password: the person cannot change it.',
      heldBy: ['packages/server/test/people/own/own-password.test.ts'],
    },
    {
      id: 'T303',
      attack:
        'A person removes their account from the control of the directory, or a link locks out the last administrator.',
      defence:
        'People cannot end the link to a directory themselves. The last administrator who can sign in without a provider cannot be linked to a directory, disabled or moved to another role.',
    },
    {
      id: 'T304',
      attack:
        'A member of a group that is mapped to a disabled role signs in with groups that cannot be read: too many, a text, or none because of an overage.',
      defence:
        'If a mapping names a group, unknown groups are refused with a separate reason in the login log. The star does not replace them.',
      heldBy: ['packages/server/test/sign-in/providers/oauth/read-user.test.ts'],
    },
    {
      id: 'T305',
      attack: 'A plan of group mappings says that people are locked out who can still sign in.',
      defence:
        'For each person whom the provider refuses, the plan names the remaining sign-in methods. They are part of the plan’s digest.',
    },
  ],
};
