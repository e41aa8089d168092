// Reads a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). Whatever else a provider signs is none: no token
// of a login ends anything.
import type { OidcSettings } from '@portcullis/contract';
import { jwtVerify } from 'jose';
import type { EndedAtProvider, OpenProvider } from '../provider-kind.ts';
import { type OidcClients, signatures } from './oidc-client.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Longer than a provider takes to send it. */
const longestAgeSeconds = 300;
const leewaySeconds = 30;
const longestId = 255;

/** Throws where it is none of this provider for this service. */
export async function readLogoutToken(
  clients: OidcClients,
  provider: OpenProvider,
  token: string,
): Promise<EndedAtProvider> {
  const { issuer, clientId } = provider.settings as OidcSettings;
  const { keys } = await clients.get(provider);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: signatures,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: longestAgeSeconds,
    clockTolerance: leewaySeconds,
  });
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

function readId(id: unknown): string | undefined {
  return typeof id === 'string' && id !== '' && id.length <= longestId ? id : undefined;
}
