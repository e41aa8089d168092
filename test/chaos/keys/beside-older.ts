// Service accounts while members of the version before still run, which know nothing of them: those admit no login as one, give it
// no password, serve the tokens of its keys, and refuse them once the key has ended.
import { captchaAnswer, writeCaptcha } from '../../rig/captcha.ts';
import type { Database } from '../../rig/create-database.ts';
import { password } from '../../rig/seed.ts';
import { addServiceAccount, createMachineKey, createMachineSteps } from '../../rig/service-account.ts';
import { bearer, type Instance } from '../start-cluster.ts';

interface Members {
  readonly old: readonly Instance[];
  readonly all: readonly Instance[];
  /** A token of an administrator. */
  readonly admin: string;
}

/** What is not so; undefined where all is. */
export async function holdKeys(
  database: Database,
  { old, all, admin }: Members,
): Promise<string | undefined> {
  const newer = all.find((instance) => !old.includes(instance));
  if (newer === undefined) return 'there is no new instance';
  const key = createMachineKey();
  const { id, username, keyIds } = await addServiceAccount(database, { role: 'clerk', keys: [key] });
  const loggedIn = await createMachineSteps(newer.client.send).logIn({ username }, key);
  const { token } = loggedIn.body;
  if (typeof token !== 'string') return `a login by key: ${loggedIn.text}`;
  const codes = async () =>
    await Promise.all(
      all.map(async ({ client }) => {
        const { body } = await client.send({ path: '/api/v1/getinfo', headers: bearer(token) });
        return body.code;
      }),
    );
  const before = await codes();
  if (before.some((code) => code !== 200)) return `the token of a key was answered ${before}`;
  for (const { client } of old) {
    const path = `/api/v1/users/${id}/password`;
    const reset = await client.send({ method: 'PUT', path, headers: bearer(admin), body: { password } });
    if (reset.body.code === 200) return 'an old instance gave a service account a password';
    for (const typed of ['!', password]) {
      const captcha = { uuid: await writeCaptcha(database), code: captchaAnswer };
      const body = { username, password: typed, ...captcha };
      const answer = await client.send({ method: 'POST', path: '/api/v1/login', body });
      if (answer.body.code !== 400) return `an old instance answered a password with ${answer.text}`;
    }
  }
  const path = `/api/v1/users/${id}/keys/${keyIds[0]}`;
  const ended = await newer.client.send({ method: 'DELETE', path, headers: bearer(admin) });
  if (ended.body.code !== 200) return `the end of a key: ${ended.text}`;
  const after = await codes();
  return after.some((code) => code !== 401) ? `the token of an ended key was answered ${after}` : undefined;
}
