// Redeems an authorization code for a token. `openid-client` validates the callback of every service in the same way: state, one
// code, no error. The token request and its answer are translated for services that differ from the standard.
import type { ProviderFetch } from '../provider-fetch.ts';
import type { CompleteSettings } from './complete-settings.ts';
import { type Answered, readAnswer } from './read-answer.ts';

/** The answer of a service to a code. */
export interface Redeemed {
  readonly accessToken: unknown;
  readonly tokenType: unknown;
  readonly token: Answered;
  /** Set when the service answers a code with the person. */
  readonly user?: Answered;
}

/** Sends the token request in the format of the service. */
export type Exchange = (
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
) => Promise<Redeemed>;

interface Callback {
  readonly settings: CompleteSettings;
  readonly secret: string | undefined;
  /** The query string of the callback URL. */
  readonly answer: string;
  readonly state: string;
  readonly verifier: string;
}

export async function redeemCode(callback: Callback, exchange: Exchange): Promise<Redeemed> {
  const { settings, secret, answer, state, verifier } = callback;
  const { authorizationUrl, tokenUrl, clientId, clientAuth, pkce } = settings;
  const openId = await import('openid-client');
  const authenticate = clientAuth === 'basic' ? openId.ClientSecretBasic : openId.ClientSecretPost;
  const configuration = new openId.Configuration(
    {
      // OAuth services have no issuer. Each provider has a separate return address, which prevents a mix-up.
      issuer: new URL(tokenUrl).origin,
      authorization_endpoint: authorizationUrl,
      token_endpoint: tokenUrl,
    },
    clientId,
    {},
    secret === undefined ? openId.None() : authenticate(secret),
  );
  const got: { redeemed?: Redeemed } = {};
  configuration[openId.customFetch] = async (_url, { body, headers }) => {
    got.redeemed = await exchange(new URLSearchParams(String(body)), headers);
    const { accessToken: access_token, tokenType: token_type } = got.redeemed;
    return Response.json({ access_token, token_type });
  };
  const { token_type } = await openId.authorizationCodeGrant(configuration, readReturn(settings, answer), {
    expectedState: state,
    ...(pkce && { pkceCodeVerifier: verifier }),
  });
  if (got.redeemed === undefined || token_type !== 'bearer')
    throw new Error('The token is not a bearer token.');
  return got.redeemed;
}

/** Returns the callback URL with the parameter names of the standard. */
function readReturn({ redirectUri, codeParameter = 'code' }: CompleteSettings, answer: string): URL {
  const url = new URL(redirectUri);
  url.search = answer;
  const query = url.searchParams;
  query.delete('iss');
  if (codeParameter !== 'code') {
    query.delete('code');
    for (const code of query.getAll(codeParameter)) query.append('code', code);
    query.delete(codeParameter);
  }
  return url;
}

/** Sends the token request as a form, as in the standard, or as JSON in one of two spellings. */
export function createTokenExchange(fetch: ProviderFetch, settings: CompleteSettings): Exchange {
  const { tokenUrl, clientAuth, statusPath } = settings;
  return async (form, headers) => {
    const isForm = clientAuth === 'basic' || clientAuth === 'post';
    const response = await fetch(tokenUrl, {
      method: 'POST',
      headers: isForm ? headers : { ...headers, 'content-type': 'application/json; charset=utf-8' },
      body: isForm ? form.toString() : JSON.stringify(namesOf(form, clientAuth)),
    });
    const token = await readAnswer(response, statusPath);
    return clientAuth === 'camelJson'
      ? { accessToken: token.accessToken, tokenType: 'Bearer', token }
      : { accessToken: token.access_token, tokenType: token.token_type, token };
  };
}

function namesOf(form: URLSearchParams, clientAuth: CompleteSettings['clientAuth']) {
  const sent = Object.fromEntries(form);
  if (clientAuth !== 'camelJson') return sent;
  const { client_id: clientId, client_secret: clientSecret, grant_type: grantType, code } = sent;
  return { clientId, clientSecret, grantType, code };
}
