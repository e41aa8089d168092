// A browser as far as a provider sees one: it follows redirects, keeps cookies, and names the account.
import { type RequestOptions, request } from 'node:https';

interface Seen {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

export interface ProviderBrowser {
  /** Opens the authorization URL, signs in with this account, and resolves with the query of the callback. */
  signIn(url: string, account: string): Promise<string>;
}

export function createProviderBrowser(authority: string, redirectUri: string): ProviderBrowser {
  const cookies = new Map<string, string>();

  async function send(address: string, form?: string): Promise<Seen> {
    const url = new URL(address);
    const options: RequestOptions = {
      ca: authority,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    };
    return await new Promise((resolve, reject) => {
      const outgoing = request(url, options, (incoming) => {
        for (const line of incoming.headers['set-cookie'] ?? []) {
          const [pair = ''] = line.split(';');
          const at = pair.indexOf('=');
          if (pair.length === at + 1) cookies.delete(pair.slice(0, at));
          else cookies.set(pair.slice(0, at), pair.slice(at + 1));
        }
        let text = '';
        incoming.on('data', (piece) => {
          text += String(piece);
        });
        incoming.on('end', () => {
          const { location } = incoming.headers;
          const absolute = location === undefined ? undefined : new URL(location, url).href;
          resolve({ status: incoming.statusCode ?? 0, location: absolute, text });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(form);
    });
  }

  return {
    async signIn(start, account) {
      let seen = await send(start);
      let at = start;
      for (let step = 0; step < 12; step += 1) {
        if (seen.location?.startsWith(redirectUri)) return new URL(seen.location).search.slice(1);
        if (seen.location !== undefined) {
          at = seen.location;
          seen = await send(at);
        } else if (seen.text.includes('name="account"')) seen = await send(at, `account=${account}`);
        else
          throw new Error(`The provider shows something else (${seen.status}): ${seen.text.slice(0, 300)}`);
      }
      throw new Error('The provider redirects endlessly.');
    },
  };
}
