// Redeems what a browser came back with. The answer is judged by `openid-client`, for every service alike: state, one code,
// no error. How the code is then sent, and what comes for it, is put into the words of the service and back.
import type { BoundedFetch } from '../bounded-fetch.ts';
import type { CompleteSettings } from './complete-settings.ts';
import { type Answered, readAnswer } from './read-answer.ts';

/** What a service gave for a code. */
export interface Redeemed {
  readonly accessToken: unknown;
  readonly tokenType: unknown;
  readonly token: Answered;
  /** Where it says at once who somebody is. */
  readonly user?: Answered;
}

/** Sends the form as the service takes it. */
export type Exchange = (
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
) => Promise<Redeemed>;

interface Journey {
  readonly settings: CompleteSettings;
  readonly secret: string | undefined;
  /** The query of the page that the browser came back to. */
  readonly answer: string;
  readonly state: string;
  readonly verifier: string;
}

export async function redeemCode(journey: Journey, exchange: Exchange): Promise<Redeemed> {
  const { settings, secret, answer, state, verifier } = journey;
  const { authorizeUrl, tokenUrl, clientId, clientAuth, pkce } = settings;
  const openId = await import('openid-client');
  const show = clientAuth === 'basic' ? openId.ClientSecretBasic : openId.ClientSecretPost;
  const configuration = new openId.Configuration(
    {
      // It has no name of its own: each provider has a return address of its own instead.
      issuer: new URL(tokenUrl).origin,
      authorization_endpoint: authorizeUrl,
      token_endpoint: tokenUrl,
    },
    clientId,
    {},
    secret === undefined ? openId.None() : show(secret),
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
    throw new Error('The token is not one that is shown by itself.');
  return got.redeemed;
}

/** In the words of the standard. */
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

/** As the standard has it, and in the two ways in which services send JSON instead. */
export function createTokenExchange(fetch: BoundedFetch, settings: CompleteSettings): Exchange {
  const { tokenUrl, clientAuth, statusPlace } = settings;
  return async (form, headers) => {
    const isForm = clientAuth === 'basic' || clientAuth === 'post';
    const response = await fetch(tokenUrl, {
      method: 'POST',
      headers: isForm ? headers : { ...headers, 'content-type': 'application/json; charset=utf-8' },
      body: isForm ? form.toString() : JSON.stringify(namesOf(form, clientAuth)),
    });
    const token = await readAnswer(response, statusPlace);
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
