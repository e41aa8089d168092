// Signs in at a terminal, with the calls that the sign-in page of a front end makes: the password, and then the code of an
// authenticator app where one is demanded. Whoever has none sets one up on the way.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ClientError, createClient } from '@portcullis/client';

const client = createClient({ baseUrl: process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8000' });
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const ask = (what: string) => terminal.question(`${what}: `);

async function solveCaptcha(): Promise<{ uuid?: string; code?: string }> {
  const { id, data, skipped } = await client.captcha();
  if (skipped === true) return {};
  writeFileSync('captcha.png', Buffer.from(data.replace(/^.*,/, ''), 'base64'));
  return { uuid: id, code: await ask('Letters in captcha.png') };
}

async function signIn() {
  const captcha = await solveCaptcha();
  const { attempt } = (await client.beginLogin({ body: captcha })).data;
  const step = { attempt, ...captcha };
  const [username, password] = [await ask('Username'), await ask('Password')];
  try {
    return await client.login({ body: { ...step, username, password } });
  } catch (error) {
    const next = error instanceof ClientError ? error.nextStep : undefined;
    if (next?.enrol.includes('totp') === true) await enrol(step, next.codeRequired);
    else if (next?.methods.includes('totp') !== true) throw error;
    return await sendCode(step);
  }
}

type Step = Awaited<ReturnType<typeof solveCaptcha>> & { readonly attempt: string };

async function enrol(step: Step, codeRequired: boolean): Promise<void> {
  const code = codeRequired ? { enrolmentCode: await ask('Code of your administrator') } : {};
  const { data } = await client.enrolAtLogin({ body: { ...step, kind: 'totp', ...code } });
  // A page shows `uri` as a QR code.
  if ('secret' in data) console.log(`Add this to your authenticator app: ${data.secret}\n${data.uri}`);
}

/** A wrong code can be sent again; when the tries are over, the answer is another one. */
async function sendCode(step: Step) {
  for (;;) {
    try {
      return await client.login({ body: { ...step, otp: await ask('Code of your authenticator app') } });
    } catch (error) {
      if (!(error instanceof ClientError) || error.reason !== 'credentials_wrong') throw error;
      console.log(error.msg);
    }
  }
}

try {
  const { recoveryCodes = [] } = await signIn();
  if (recoveryCodes.length > 0)
    console.log(`Keep these codes, each is good once:\n${recoveryCodes.join('\n')}`);
  console.log(`Signed in as ${(await client.getInfo()).data.userName}.`);
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.log(error.msg ?? error.message);
  process.exitCode = 1;
} finally {
  terminal.close();
}
