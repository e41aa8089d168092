// A password that nobody has to think of: 120 random bits, to be shown once.
export function createRandomPassword(randomBytes: (size: number) => Buffer): string {
  return randomBytes(15).toString('base64url');
}
