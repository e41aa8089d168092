// Creates the first administrator: on an empty database, the first start creates the role `admin`, one department, and one
// administrator with a random password. There is no default password that an attacker could know.
import type { Store } from '../../cluster/store/store.ts';
import { createRandomPassword } from '../passwords/random-password.ts';
import { createFirstAdministrator, hasUsers, lockUsers } from './first-start-store.ts';

export interface FirstAdministrator {
  readonly username: string;
  readonly password: string;
}

interface FirstStartOptions {
  readonly store: Store;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Whether the password must be changed before anything else is allowed. */
  readonly passwordDue: boolean;
  readonly randomBytes: (size: number) => Buffer;
}

/** The new administrator, to be shown once; undefined if users exist already. Of two concurrent starts, one creates it. */
export async function prepareFirstStart(options: FirstStartOptions): Promise<FirstAdministrator | undefined> {
  const { store, hashPassword, passwordDue, randomBytes } = options;
  if (await hasUsers(store)) return undefined;
  const administrator = { username: 'admin', password: createRandomPassword(randomBytes) };
  const passwordHash = await hashPassword(administrator.password);
  return await store.transaction().execute(async (transaction) => {
    await lockUsers(transaction);
    if (await hasUsers(transaction)) return undefined;
    await createFirstAdministrator(transaction, administrator.username, { passwordHash, passwordDue });
    return administrator;
  });
}
