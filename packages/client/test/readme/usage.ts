// The other lines of the README, word for word.
import { type Client, ClientError, createClient } from '@portcullis/client';
import type { showOrder } from './endpoints.ts';
import type { Application } from './front-end.ts';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export async function start(
  { openLogin, showMessage, ask }: Application,
  { username, password }: Credentials,
) {
  const client = createClient({
    onSignedOut: () => openLogin(),
    onNotAllowed: ({ msg }) => showMessage(msg),
  });
  const captcha = await client.captcha();
  await client.login({ body: { username, password, uuid: captcha.id, code: await ask(captcha.data) } });
  const { data } = await client.listSessions({ query: { limit: 50 } });
  return data;
}

export async function logInWithTwoSteps(
  client: Client,
  { ask }: Application,
  { username, password, ...captcha }: Credentials & { readonly uuid: string; readonly code: string },
) {
  const { data } = await client.beginLogin({ body: captcha });
  const step = { flowId: data.flowId, ...captcha };
  try {
    await client.login({ body: { ...step, username, password } });
  } catch (error) {
    const next = error instanceof ClientError ? error.nextStep : undefined;
    if (next?.methods.includes('totp') !== true) throw error;
    await client.login({ body: { ...step, otp: await ask('The code of your authenticator app') } });
  }
}

export function keepInTab(sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): Client {
  const client = createClient({
    tokenStore: {
      get: () => sessionStorage.getItem('token'),
      set: (token) =>
        token === undefined ? sessionStorage.removeItem('token') : sessionStorage.setItem('token', token),
    },
  });
  return client;
}

export async function follow(client: Client, { showMessage, addRow }: Application, signal: AbortSignal) {
  for await (const { name, data } of client.tailLoginLogs({ query: { outcome: 'failure' }, signal })) {
    if (name === 'gap') showMessage('Some records were left out.');
    else addRow(data.at, data.username, data.reason);
  }
}

export async function callOwn(client: Client): Promise<string> {
  const order = await client.call<typeof showOrder>(['GET', '/api/v1/orders/:id'], { params: { id: 7 } });
  return order.data.item;
}
