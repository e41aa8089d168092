// Generates a random password of 120 bits, to be shown once.
export function createRandomPassword(randomBytes: (size: number) => Buffer): string {
  return randomBytes(15).toString('base64url');
}
