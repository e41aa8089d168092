// A page on which people use passkeys: what its scripts would send to the service, with a device in software.
import { type Client, createClient } from '@portcullis/client';
import type { PasskeyAssertion } from '@portcullis/contract';
import { createPasskeyDevice, type PasskeyDevice, type Saying } from './passkey-device.ts';
import { password, type Username } from './seed.ts';
import type { Service } from './start-service.ts';

export const domain = 'example.test';
export const passkeySettings = { MFA_PASSKEY_DOMAIN: domain };
const page = { origin: `https://${domain}`, rpId: domain };

/** A passkey of a person, on its device. */
export interface Passkey {
  readonly device: PasskeyDevice;
  readonly userHandle: string;
  /** As the list of factors has it. */
  readonly id: number;
  readonly recoveryCodes: readonly string[] | null;
}

export type PasskeyPage = ReturnType<typeof openPasskeyPage>;

export function openPasskeyPage(service: () => Service) {
  const clientOf = () => createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });

  async function signedIn(username: Username): Promise<Client> {
    const client = clientOf();
    await client.login({ body: { username, password, ...(await service().solvedCaptcha()) } });
    return client;
  }

  /** Begins a login; what is signed is signed for its challenge. */
  async function begin(client: Client = clientOf()) {
    const captcha = await service().solvedCaptcha();
    const { data } = await client.beginLogin({ body: captcha });
    const step = { flowId: data.flowId, ...captcha };
    const challenge = data.passkey?.challenge ?? '';
    const sign = (
      { device, userHandle }: Pick<Passkey, 'device' | 'userHandle'>,
      lie: Partial<Saying> = {},
    ) => device.sign({ ...page, challenge, userHandle, ...lie });
    return {
      client,
      step,
      challenge,
      options: data.passkey,
      sign,
      /** The first step with a password, which is refused where more is demanded. */
      prove: (username: Username) => client.login({ body: { ...step, username, password } }),
      send: (passkey: PasskeyAssertion) => client.login({ body: { ...step, passkey } }),
    };
  }

  return {
    clientOf,
    signedIn,
    begin,
    /** Makes a passkey by what `begin` said. */
    make: (
      device: PasskeyDevice,
      { passkey }: { readonly passkey: { readonly challenge: string } },
      lie: Partial<Saying> = {},
    ) => device.make({ ...page, challenge: passkey.challenge, ...lie }),
    async register(
      client: Client,
      device = createPasskeyDevice(),
      lie: Partial<Saying> = {},
    ): Promise<Passkey> {
      const { data } = await client.beginPasskey({ body: { oldPassword: password } });
      const { challenge, user } = data.passkey;
      const response = device.make({ ...page, challenge, ...lie });
      const added = await client.addPasskey({ body: { response, name: 'Key' } });
      return { device, userHandle: user.id, ...added.data };
    },
    /** A whole login, without a username. */
    async logIn(passkey: Passkey, lie: Partial<Saying> = {}): Promise<Client> {
      const login = await begin();
      await login.send(login.sign(passkey, lie));
      return login.client;
    },
  };
}
