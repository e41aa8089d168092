// Password hashing and comparison: argon2id (the package's default) over the NFC form, as a PHC string. Imported bcrypt hashes
// are compared as they are, until the next login replaces them.
import { hash, verify } from '@node-rs/argon2';

export interface HashCost {
  readonly memoryKibibytes: number;
  readonly passes: number;
}

export interface PasswordHashes {
  hash(password: string): Promise<string>;
  /** False if the stored text is no hash, after the time of one comparison. */
  matches(password: string, stored: string | undefined): Promise<boolean>;
  /** Whether the stored hash costs at least as much as a hash that `hash` would make now. */
  isCurrent(stored: string): boolean;
}

interface PasswordHashesOptions {
  readonly cost: HashCost;
  readonly matchesBcrypt: (password: string, stored: string) => Promise<boolean>;
  readonly randomBytes: (size: number) => Buffer;
}

const argon2Hash =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=\d{1,2}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/;
/** Costs above 14 would keep the service busy for seconds. */
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
  let dummyHash: Promise<string> | undefined;

  async function compare(password: string, stored: string): Promise<boolean> {
    if (argon2Hash.test(stored)) return await verify(stored, password.normalize('NFC'));
    if (isBcryptHash(stored)) return await matchesBcrypt(password, stored);
    dummyHash ??= makeHash(randomBytes(16).toString('hex'));
    await verify(await dummyHash, password.normalize('NFC'));
    return false;
  }

  return {
    hash: makeHash,
    async matches(password, stored) {
      const isMatch = await compare(password, stored ?? '');
      // The hash function receives the same replacement character for every lone surrogate.
      return isMatch && password.isWellFormed();
    },
    isCurrent(stored) {
      const [, memory, passes] = argon2Hash.exec(stored) ?? [];
      return Number(memory) >= cost.memoryKibibytes && Number(passes) >= cost.passes;
    },
  };
}
