// People with a second factor, made by SQL so that every code of theirs is still unused, and the steps of their logins.
import { createHash, randomBytes } from 'node:crypto';
import { encrypt } from '../../../packages/server/src/base/secrets/encryption.ts';
import { captchaAnswer, writeCaptcha } from '../../rig/captcha.ts';
import type { Database } from '../../rig/create-database.ts';
import type { Answer, HttpClient } from '../../rig/http-client.ts';
import { sealingKey } from '../../rig/master-key.ts';
import { hashPassword, password } from '../../rig/seed.ts';
import { codeAt } from './totp-clock.ts';

export interface Person {
  readonly id: number;
  readonly username: string;
}

export interface ArmedPerson extends Person {
  /** Of the authenticator app. */
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
}

export interface Captcha {
  readonly uuid: string;
  readonly code: string;
}

/** What every further step of an attempt sends. */
export type Step = Captcha & { readonly flowId: string };

/** As the product would hash it. */
const passwordHash = hashPassword(password, 2);

export async function addPerson(database: Database, role = 'guest'): Promise<Person> {
  const username = `p${randomBytes(8).toString('hex')}`;
  const [row] = await database.query<{ id: number }>(
    `insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash)
     select $1, $1, $1, (select min(id) from departments), id, $3 from roles where role_key = $2 returning id::int`,
    [username, role, await passwordHash],
  );
  return { id: row?.id ?? 0, username };
}

/** With an authenticator app and three recovery codes. */
export async function addArmed(database: Database, role = 'guest'): Promise<ArmedPerson> {
  const person = await addPerson(database, role);
  const secret = randomBytes(20);
  const recoveryCodes = Array.from({ length: 3 }, () =>
    randomBytes(8).toString('hex').replace(/./g, letterOf),
  );
  await database.query(
    `insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at) values ($1, 'totp', 2, $2, now())`,
    [person.id, sealTotp(person.id, secret)],
  );
  for (const code of recoveryCodes)
    await database.query('insert into recovery_codes (user_id, hash) values ($1, $2)', [
      person.id,
      createHash('sha256').update(`${person.id}:${code}`).digest(),
    ]);
  return { ...person, secret, recoveryCodes };
}

/** The secret of an app, as the database has it. */
export const sealTotp = (userId: number, secret: Buffer) =>
  encrypt(secret, sealingKey, `totp of user ${userId}`);

/** Of a hexadecimal digit one of base32. */
const letterOf = (digit: string) => 'ABCDEFGHIJKLMNOP'[Number.parseInt(digit, 16)] ?? '';

export type Steps = ReturnType<typeof createSteps>;

/** The steps of a login on one instance, as a front end makes them. */
export function createSteps(database: Database, send: HttpClient['send']) {
  const post = (path: string, body: object) => send({ method: 'POST', path: `/api/v1/login${path}`, body });
  const solve = async (): Promise<Captcha> => ({ uuid: await writeCaptcha(database), code: captchaAnswer });

  async function begin(captcha?: Captcha): Promise<Step> {
    const solved = captcha ?? (await solve());
    const { body, text } = await post('/begin', solved);
    const { flowId } = (body.data ?? {}) as { flowId?: string };
    if (flowId === undefined) throw new Error(`Nothing was begun: ${text}`);
    return { flowId, ...solved };
  }
  const logIn = (body: object) => post('', body);

  return {
    solve,
    begin,
    logIn,
    enrol: (step: Step, fields: object = {}) => post('/enrol', { ...step, kind: 'totp', ...fields }),
    /** The four fields alone. */
    logInPlainly: async ({ username }: Person) => logIn({ username, password, ...(await solve()) }),
    /** An attempt whose password was right, and not enough. */
    async prove({ username }: Person): Promise<Step> {
      const step = await begin();
      const answer = await logIn({ ...step, username, password });
      if (outcomeOf(answer) !== 'factor_required') throw new Error(`No further step: ${answer.text}`);
      return step;
    },
    /** The code of this moment, on a separate attempt. */
    async complete(person: ArmedPerson): Promise<Answer> {
      const step = await this.prove(person);
      return await logIn({ ...step, otp: codeAt(person.secret) });
    },
  };
}

/** `in` where there is a token; else why not. */
export function outcomeOf({ headers, body }: Answer): string {
  if (typeof body.token === 'string') return 'in';
  return String(headers['x-auth-reason'] ?? body.code);
}
