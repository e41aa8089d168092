// Canonical form of a username: usernames are unique and looked up in this form, so look-alike spellings are one account.
export function canonicalUsername(username: string): string {
  return username.normalize('NFKC').trim().toLowerCase();
}
