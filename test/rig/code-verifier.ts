// Another login method, as a team would bring one: the password field carries a one-time code sent by SMS, and the
// accounts are its own. It replaces the credential step and nothing else (Spec, Authentication 7).
import type { Account, CredentialVerifier } from '@portcullis/server';

export const smsCode = '482913';

/** The user and role ids are those of the seed, so that the rest of the service meets the same person. */
const accounts: readonly Account[] = [
  { userId: 1, username: 'ada', roleId: 1, roleKey: 'admin', dataScope: '1', epoch: 1 },
  { userId: 2, username: 'carl', roleId: 2, roleKey: 'clerk', dataScope: '3', epoch: 1 },
  { userId: 5, username: 'gina', roleId: 5, roleKey: 'guest', dataScope: '5', epoch: 1 },
];

export const codeVerifier: CredentialVerifier = {
  async verify({ username, password }) {
    const account = accounts.find((candidate) => candidate.username === username);
    return account === undefined || password !== smsCode
      ? { refused: 'credentials_wrong', account }
      : { account };
  },
};
