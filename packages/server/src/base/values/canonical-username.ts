// The form of a username under which it is unique and looked up, so that look-alike spellings are one account.
export function canonicalUsername(username: string): string {
  return username.normalize('NFKC').trim().toLowerCase();
}
