// How passwords are hashed and compared: argon2id (the package's default) over the NFC form, as a PHC string. Imported
// bcrypt hashes are compared as they are, until the next login replaces them.
import { hash, verify } from '@node-rs/argon2';

export interface HashCost {
  readonly memoryKibibytes: number;
  readonly passes: number;
}

export interface PasswordHashes {
  hash(password: string): Promise<string>;
  /** False for anything stored that is no hash, after the time of one. */
  matches(password: string, stored: string | undefined): Promise<boolean>;
  /** Whether it is at least what `hash` would make today. */
  isCurrent(stored: string): boolean;
}

interface PasswordHashesOptions {
  readonly cost: HashCost;
  readonly matchesBcrypt: (password: string, stored: string) => Promise<boolean>;
  readonly randomBytes: (size: number) => Buffer;
}

const argon2Hash =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=\d{1,2}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;
/** Dearer ones would keep the service busy for seconds. */
const bcryptHash = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

export function isBcryptHash(stored: string): boolean {
  return bcryptHash.test(stored);
}

export function createPasswordHashes({
  cost,
  matchesBcrypt,
  randomBytes,
}: PasswordHashesOptions): PasswordHashes {
  const parameters = { memoryCost: cost.memoryKibibytes, timeCost: cost.passes, parallelism: 1 };
  const makeHash = (password: string) => hash(password.normalize('NFC'), parameters);
  let nobodysHash: Promise<string> | undefined;

  async function compare(password: string, stored: string): Promise<boolean> {
    if (argon2Hash.test(stored)) return await verify(stored, password.normalize('NFC'));
    if (isBcryptHash(stored)) return await matchesBcrypt(password, stored);
    nobodysHash ??= makeHash(randomBytes(16).toString('hex'));
    await verify(await nobodysHash, password.normalize('NFC'));
    return false;
  }

  return {
    hash: makeHash,
    async matches(password, stored) {
      const isMatch = await compare(password, stored ?? '');
      // Halves of surrogate pairs all become one character on the way to the hash.
      return isMatch && password.isWellFormed();
    },
    isCurrent(stored) {
      const [, memory, passes] = argon2Hash.exec(stored) ?? [];
      return Number(memory) >= cost.memoryKibibytes && Number(passes) >= cost.passes;
    },
  };
}
