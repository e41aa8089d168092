// Signs in at a terminal, with the calls that the sign-in page of a front end makes.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ClientError, createClient } from '@portcullis/client';
import { createSignIn, type NextStep } from './sign-in-steps.ts';

const client = createClient({ baseUrl: process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8000' });
const signIn = createSignIn(client);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const ask = (what: string) => terminal.question(`${what}: `);

async function readCaptcha(): Promise<{ captchaCode?: string }> {
  const picture = await signIn.loadCaptcha();
  if (picture === undefined) return {};
  writeFileSync('captcha.png', Buffer.from(picture.replace(/^.*,/, ''), 'base64'));
  return { captchaCode: await ask('Letters in captcha.png') };
}

async function enrol(codeRequired: boolean): Promise<void> {
  const { secret, uri } = await signIn.enrol(
    codeRequired ? await ask('Code of your administrator') : undefined,
  );
  // A page shows `uri` as a QR code.
  console.log(`Add this to your authenticator app: ${secret}\n${uri}`);
}

/** A wrong code can be sent again; when the tries are over, the answer is another one. */
async function sendCode(): Promise<NextStep> {
  for (;;) {
    try {
      return await signIn.sendCode(await ask('Code of your authenticator app'));
    } catch (error) {
      if (!(error instanceof ClientError) || error.reason !== 'credentials_wrong') throw error;
      console.log(error.msg);
    }
  }
}

try {
  const captcha = await readCaptcha();
  const [username, password] = [await ask('Username'), await ask('Password')];
  let next = await signIn.sendPassword({ username, password, ...captcha });
  if (next.name === 'enrol') await enrol(next.codeRequired);
  if (next.name !== 'done') next = await sendCode();
  if (next.name !== 'done') throw new Error('There is no third step.');
  if (next.recoveryCodes.length > 0)
    console.log(`Keep these codes, each is good once:\n${next.recoveryCodes.join('\n')}`);
  console.log(`Signed in as ${next.username}.`);
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.log(error.msg ?? error.message);
  process.exitCode = 1;
} finally {
  terminal.close();
}
