// The code exchange of WeCom: the app requests an access token for itself, and the userinfo endpoint returns the person for that
// token and the code. The token belongs to the app and not to the person. It is cached, because WeCom limits the rate of token
// requests.
import type { ProviderFetch } from '../provider-fetch.ts';
import type { OpenProvider } from '../provider-kind.ts';
import type { CompleteSettings } from './complete-settings.ts';
import { readAnswer } from './read-answer.ts';
import type { Exchange } from './redeem-code.ts';

interface CorpExchangesOptions {
  readonly fetch: ProviderFetch;
  readonly now: () => number;
}

const keptMilliseconds = 300_000;

export function createCorpExchanges({ fetch, now }: CorpExchangesOptions) {
  const known = new Map<number, { readonly asked: string; readonly token: string; readonly until: number }>();

  async function getToken(provider: OpenProvider, { tokenUrl, clientId }: CompleteSettings): Promise<string> {
    if (provider.secret === undefined) throw new Error('There is no secret to show.');
    const url = new URL(tokenUrl);
    url.searchParams.set('corpid', clientId);
    url.searchParams.set('corpsecret', provider.secret);
    const before = known.get(provider.id);
    if (before?.asked === url.href && before.until > now()) return before.token;
    const { access_token: token } = await readAnswer(await fetch(url.href, {}), undefined);
    if (typeof token !== 'string' || token === '') throw new Error('It gives no token to the app.');
    known.set(provider.id, { asked: url.href, token, until: now() + keptMilliseconds });
    return token;
  }

  return (provider: OpenProvider, settings: CompleteSettings): Exchange =>
    async (form) => {
      const accessToken = await getToken(provider, settings);
      const url = new URL(settings.userInfoUrl);
      url.searchParams.set('access_token', accessToken);
      url.searchParams.set('code', form.get('code') ?? '');
      try {
        const user = await readAnswer(await fetch(url.href, {}), settings.statusPath);
        return { accessToken, tokenType: 'Bearer', token: {}, user };
      } catch (error) {
        // WeCom may have revoked the token: the next login requests a new one.
        known.delete(provider.id);
        throw error;
      }
    };
}
