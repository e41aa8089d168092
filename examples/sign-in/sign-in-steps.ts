// The steps of signing in, for any front end: the password, and then the code of an authenticator app where one is demanded.
// Whoever has none sets one up on the way.
import { ClientError, type createClient } from '@portcullis/client';

type Client = ReturnType<typeof createClient>;

/** What to ask for next. At `enrol` call `enrol`, show the secret, and then ask for the code. */
export type NextStep =
  | { readonly name: 'code' }
  | { readonly name: 'enrol'; readonly codeRequired: boolean }
  | { readonly name: 'done'; readonly username: string; readonly recoveryCodes: readonly string[] };

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** What is written in the picture, where there is one. */
  readonly captchaCode?: string;
}

export function createSignIn(client: Client) {
  let uuid: string | undefined;
  let step = { flowId: '' };

  async function finish(body: Parameters<Client['login']>[0]['body']): Promise<NextStep> {
    const { recoveryCodes = [] } = await client.login({ body });
    return { name: 'done', username: (await client.getInfo()).data.userName, recoveryCodes };
  }

  return {
    /** The picture as a `data:` URL, or nothing where none is asked for. It is good for one password. */
    async loadCaptcha(): Promise<string | undefined> {
      const { id, data, skipped } = await client.captcha();
      uuid = skipped === true ? undefined : id;
      return skipped === true ? undefined : data;
    },

    async sendPassword({ username, password, captchaCode = '' }: Credentials): Promise<NextStep> {
      const captcha = uuid === undefined ? {} : { uuid, code: captchaCode };
      step = { flowId: (await client.beginLogin({ body: captcha })).data.flowId, ...captcha };
      try {
        return await finish({ ...step, username, password });
      } catch (error) {
        const next = error instanceof ClientError ? error.nextStep : undefined;
        if (next?.enrol.includes('totp') === true) return { name: 'enrol', codeRequired: next.codeRequired };
        if (next?.methods.includes('totp') === true) return { name: 'code' };
        throw error;
      }
    },

    /** What the authenticator app wants: the secret to type, or the same as a link for a QR code. */
    async enrol(enrolmentCode?: string): Promise<{ readonly secret: string; readonly uri: string }> {
      const code = enrolmentCode === undefined ? {} : { enrolmentCode };
      const { data } = await client.enrolAtLogin({ body: { ...step, kind: 'totp', ...code } });
      if (!('secret' in data)) throw new Error('This is no authenticator app.');
      return data;
    },

    /** A wrong code is refused with `credentials_wrong` and can be sent again, a few times. */
    sendCode: (otp: string) => finish({ ...step, otp }),
  };
}
