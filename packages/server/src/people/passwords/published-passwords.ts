// Hashes of published default passwords, which products ship with their first administrator, and the warning about them.

/** go-admin's `admin` with the password 123456. */
export const publishedPasswordHashes = ['$2a$10$/Glr4g9Svr6O0kvjsRJCXu3f0W8/dsP3XZyVNi1019ratWpSPMyw.'];

/** A line for each administrator who still has a published password. */
export function lintAdministratorPasswords(usernames: readonly string[]): string[] {
  return usernames.map(
    (username) =>
      `The administrator \`${username}\` has a published default password. Set another password, or disable the user.`,
  );
}
