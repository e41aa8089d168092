// WebAuthn in the browser: uses an existing passkey or creates a new one. The browser asks the user, who can decline.
import { ToldError } from '../calls/describe-error.ts';
import type { client } from '../client.ts';
import { defineTexts, language } from '../language/language.ts';

type Calls = typeof client;
export type PasskeyRequest = NonNullable<Awaited<ReturnType<Calls['beginLogin']>>['data']['passkey']>;
export type PasskeyCreation = Awaited<ReturnType<Calls['beginPasskey']>>['data']['passkey'];
type Assertion = Extract<Parameters<Calls['login']>[0]['body'], { passkey: unknown }>['passkey'];
type Registration = Parameters<Calls['addPasskey']>[0]['body']['response'];

const texts = defineTexts({
  en: {
    notShown: 'No passkey was used: the browser found none, was told no, or waited too long. Try again.',
    notMade: 'No passkey was made: the browser was told no, or waited too long. Try again.',
    isThere: 'This device has a passkey of yours already. Use that one, or another device.',
    isElsewhere:
      'The browser does not use passkeys at this address. Open the console where your company offers it.',
  },
  zh: {
    notShown: '未使用通行密钥：浏览器没有找到、被拒绝或等待超时。请重试。',
    notMade: '未创建通行密钥：浏览器被拒绝或等待超时。请重试。',
    isThere: '此设备上已有您的通行密钥。请使用它，或换一台设备。',
    isElsewhere: '浏览器在此地址不能使用通行密钥。请从公司提供的地址打开控制台。',
  },
});

/** Browsers from before 2025 can lack the functions. */
export const knowsPasskeys = () =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

export async function showPasskey(request: PasskeyRequest | undefined): Promise<Assertion> {
  const show = async () =>
    request === undefined
      ? null
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request),
        });
  return (await ask('notShown', show)) as Assertion;
}

export async function makePasskey(creation: PasskeyCreation): Promise<Registration> {
  const make = async () =>
    await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(creation),
    });
  return (await ask('notMade', make)) as Registration;
}

/** Suggests a name for the passkey from the browser's platform, if it is known. */
export function guessName(): string {
  const { userAgentData } = navigator as { userAgentData?: { platform?: string } };
  return userAgentData?.platform ?? '';
}

async function ask(none: 'notShown' | 'notMade', act: () => Promise<Credential | null>): Promise<unknown> {
  const t = texts[language.value];
  try {
    return ((await act()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError') throw new ToldError(t.isThere);
    throw new ToldError(name === 'SecurityError' ? t.isElsewhere : t[none]);
  }
}
