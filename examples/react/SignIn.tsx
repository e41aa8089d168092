// A sign-in page in React, with the second step. What there is to ask for is in sign-in-steps.ts.
import { ClientError, createClient } from '@portcullis/client';
import { type ReactNode, useEffect, useState } from 'react';
import { createSignIn, type NextStep } from '../sign-in/sign-in-steps.ts';

const client = createClient();
const signIn = createSignIn(client);

export function SignIn() {
  const [next, setNext] = useState<NextStep | { readonly name: 'password' }>({ name: 'password' });
  const [captcha, setCaptcha] = useState<string>();
  const [secret, setSecret] = useState('');
  const [message, setMessage] = useState('');

  async function begin() {
    setNext({ name: 'password' });
    setCaptcha(await signIn.loadCaptcha());
  }

  /** Refused: the service's own words. With a new picture, unless only the code was wrong. */
  async function submit(step: () => Promise<unknown>) {
    setMessage('');
    try {
      await step();
    } catch (error) {
      setMessage((error instanceof ClientError && error.msg) || 'That did not work. Try again.');
      const isWrongCode = error instanceof ClientError && error.reason === 'credentials_wrong';
      if (next.name !== 'code' || !isWrongCode) await begin();
    }
  }

  async function sendPassword(form: FormData) {
    const [username, password, captchaCode] = ['username', 'password', 'captcha'].map((name) =>
      String(form.get(name) ?? ''),
    ) as [string, string, string];
    const step = await signIn.sendPassword({ username, password, captchaCode });
    if (step.name === 'enrol' && !step.codeRequired) await enrol();
    else setNext(step);
  }
  async function enrol(code?: string) {
    setSecret((await signIn.enrol(code)).secret);
    setNext({ name: 'code' });
  }
  async function sendCode(form: FormData) {
    setNext(await signIn.sendCode(String(form.get('otp'))));
  }
  async function signOut() {
    await client.logout();
    await begin();
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: Once, when the page opens.
  useEffect(() => void submit(begin), []);

  return (
    <>
      <p role="alert">{message}</p>
      {next.name === 'password' && (
        <Form button="Sign in" send={(form) => submit(() => sendPassword(form))}>
          <label>
            Username <input name="username" autoComplete="username" required />
          </label>
          <label>
            Password <input name="password" type="password" autoComplete="current-password" required />
          </label>
          {captcha && (
            <label>
              Letters in the picture <img src={captcha} alt="" /> <input name="captcha" required />
            </label>
          )}
        </Form>
      )}
      {next.name === 'enrol' && (
        <Form button="Go on" send={(form) => submit(() => enrol(String(form.get('code'))))}>
          <label>
            Code of your administrator <input name="code" required />
          </label>
        </Form>
      )}
      {next.name === 'code' && (
        <Form button="Sign in" send={(form) => submit(() => sendCode(form))}>
          {secret && (
            <p>
              Add this to your authenticator app: <code>{secret}</code>
            </p>
          )}
          <label>
            Code of your authenticator app{' '}
            <input name="otp" autoComplete="one-time-code" inputMode="numeric" required />
          </label>
        </Form>
      )}
      {next.name === 'done' && (
        <section>
          <h1>Signed in as {next.username}</h1>
          {next.recoveryCodes.length > 0 && <p>Keep these codes, each is good once:</p>}
          <ul>
            {next.recoveryCodes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <button type="button" onClick={() => submit(signOut)}>
            Sign out
          </button>
        </section>
      )}
    </>
  );
}

interface FormProps {
  readonly button: string;
  readonly send: (form: FormData) => void;
  readonly children: ReactNode;
}

function Form({ button, send, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(new FormData(event.currentTarget));
      }}
    >
      {children}
      <button type="submit">{button}</button>
    </form>
  );
}
