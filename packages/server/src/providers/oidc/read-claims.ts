// What of a provider's claims is used: the subject, which with the provider is the key of a link; the tenant, where one is
// pinned; and for people to read, a name. A mail address is never looked up.
import type { OidcSettings } from '@portcullis/contract';
import type { JWTPayload } from 'jose';
import type { Vouched } from '../provider-kind.ts';
import { longestId, readGroups, readShownName } from '../read-vouched.ts';

/** Undefined where they are not acceptable. */
export function readClaims(claims: JWTPayload, settings: OidcSettings): Vouched | undefined {
  const { sub, sid, preferred_username: username, name } = claims;
  const { tenant, groupsClaim } = settings;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestId) return undefined;
  if (tenant !== undefined && claims[tenant.claim] !== tenant.value) return undefined;
  return {
    subject: sub,
    name: readShownName(username) || readShownName(name),
    session: typeof sid === 'string' && sid !== '' && sid.length <= longestId ? sid : undefined,
    groups: groupsClaim === undefined ? undefined : readGroups(claims[groupsClaim]),
  };
}
