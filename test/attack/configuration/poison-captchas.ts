// Writes into the rows of captchas what an attacker who can write there, but has not the master key, would write.
import { createHmac, hash, randomBytes } from 'node:crypto';
import { password } from '../../rig/seed.ts';
import type { Service } from '../../rig/start-service.ts';

/** The content of the row, given the id and the code that the attacker will send. */
const poisons: readonly ((id: string, code: string) => Buffer)[] = [
  () => Buffer.alloc(0),
  () => Buffer.alloc(32),
  () => Buffer.alloc(32, 0xff),
  () => randomBytes(32),
  () => randomBytes(31),
  () => randomBytes(4096),
  (_, code) => Buffer.from(code),
  (_, code) => hash('sha256', code, 'buffer'),
  (id, code) => hash('sha256', `${id}:${code}`, 'buffer'),
  (id, code) => createHmac('sha256', '').update(`${id}:${code}`).digest(),
  (id, code) => createHmac('sha256', Buffer.alloc(32)).update(`${id}:${code}`).digest(),
  (id, code) => createHmac('sha256', 'secret').update(`${id}:${code}`).digest(),
];
const codes = ['K7WQP', 'AAAAA', ' ', '0', 'null', 'undefined', 'true', "' or 1=1 --"];

/** The answers of logins with the right password and a captcha that was written over, as text. */
export async function poisonCaptchas(service: Service, count: number): Promise<string[]> {
  const answers: string[] = [];
  const atOnce = 16;
  for (let done = 0; done < count; done += atOnce)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(atOnce, count - done) }, (_, index) => attempt(service, done + index)),
      )),
    );
  return answers;
}

async function attempt(service: Service, turn: number): Promise<string> {
  const uuid = String((await service.send({ path: '/api/v1/getCaptcha' })).body.id);
  const code = codes[turn % codes.length] ?? '';
  const poison = poisons[turn % poisons.length] ?? (() => Buffer.alloc(0));
  await service.database.query(
    `update captchas set answer_hmac = $2, expires_at = 'infinity' where id = $1`,
    [uuid, poison(uuid, code)],
  );
  const { status, headers, text } = await service.postLogin({ username: 'ada', password, uuid, code });
  return `${status} ${headers['x-auth-reason']} ${text}`;
}
