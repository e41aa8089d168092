// The users of the benchmark: all have the same password, hashed at the product's default cost.
import { hashSync } from '@node-rs/argon2';

export const userCount = 200;
export const usernameOf = (index: number) => `user-${index % userCount}`;
export const password = 'Bench-password-4711';
export const wrongPassword = 'Bench-password-4712';
export const passwordHash = hashSync(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
