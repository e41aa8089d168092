// How passwords are hashed: argon2id (the package's default) at OWASP's parameters, over the NFC form, as a PHC string.
import { hash } from '@node-rs/argon2';

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), {
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
  });
}
