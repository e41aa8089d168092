// Hashes of passwords that everybody can look up, because a product ships them with its first administrator.

/** go-admin's `admin` with the password 123456. */
export const publishedPasswordHashes = ['$2a$10$/Glr4g9Svr6O0kvjsRJCXu3f0W8/dsP3XZyVNi1019ratWpSPMyw.'];

/** What to do about administrators who still carry one; empty where none does. */
export function lintAdministratorPasswords(usernames: readonly string[]): string[] {
  return usernames.map(
    (username) =>
      `The administrator \`${username}\` has a published default password. Set another one, or disable the user.`,
  );
}
