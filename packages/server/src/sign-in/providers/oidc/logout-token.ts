// Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). Every other token that the provider signs is
// rejected: an ID token of a login ends no session.
import type { OidcSettings } from '@portcullis/contract';
import { type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import type { EndedAtProvider, OpenProvider, WithinLimit } from '../provider-kind.ts';
import { withTimeout } from '../request-timeout.ts';
import { type OidcClients, signatures } from './oidc-client.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Longer than a provider takes to deliver the token. */
const longestAgeSeconds = 300;
const leewaySeconds = 30;
const longestId = 255;

type Verify = (keys: JWTVerifyGetKey) => Promise<JWTVerifyResult>;

/** Throws unless it is a logout token of this provider for this service. */
export async function readLogoutToken(
  clients: OidcClients,
  provider: OpenProvider,
  token: string,
  inSlot: WithinLimit,
): Promise<EndedAtProvider> {
  const { issuer, clientId } = provider.settings as OidcSettings;
  const verify: Verify = (keys) =>
    jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms: signatures,
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: longestAgeSeconds,
      clockTolerance: leewaySeconds,
    });
  const { payload, protectedHeader } = await verifyWithKnownKeys(clients, provider, verify, inSlot);
  const { events, sub, sid, jti = '', nonce, iat = 0 } = payload;
  const type = protectedHeader.typ?.toLowerCase() ?? 'jwt';
  const isLogout =
    ['jwt', 'logout+jwt', 'application/logout+jwt'].includes(type) &&
    nonce === undefined &&
    typeof events === 'object' &&
    events !== null &&
    Object.hasOwn(events, event);
  const subject = readId(sub);
  const session = readId(sid);
  if (!isLogout || jti === '' || (subject === undefined && session === undefined))
    throw new Error('This is no logout token.');
  const forgottenAt = new Date((iat + longestAgeSeconds + 2 * leewaySeconds) * 1000);
  return { id: jti, forgottenAt, subject, session };
}

/**
 * Verifies with the keys that were read last, which needs no slot. Only reading keys takes a slot: anyone can send a token with
 * an unknown key id, and such tokens must not keep out those that the provider signed.
 */
async function verifyWithKnownKeys(
  clients: OidcClients,
  provider: OpenProvider,
  verify: Verify,
  inSlot: WithinLimit,
): Promise<JWTVerifyResult> {
  const known = clients.knownKeys(provider);
  let isKnown = false;
  if (known !== undefined)
    try {
      const verified = await verify(known.keys);
      if (known.isFresh) return verified;
      isKnown = true;
    } catch (error) {
      const isOfOtherKey = (error as { code?: unknown }).code === 'ERR_JWKS_NO_MATCHING_KEY';
      if (known.isFresh && !isOfOtherKey) throw error;
    }
  return await inSlot(isKnown, () => withTimeout(clients.get(provider).then(({ keys }) => verify(keys))));
}

function readId(id: unknown): string | undefined {
  return typeof id === 'string' && id !== '' && id.length <= longestId ? id : undefined;
}
