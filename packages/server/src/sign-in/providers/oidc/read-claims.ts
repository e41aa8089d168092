// What of a provider's claims is used: the subject, which with the provider is the key of a link; the tenant, where one is
// pinned; and for people to read, a name. A mail address is never looked up.
import type { OidcSettings } from '@portcullis/contract';
import type { JWTPayload } from 'jose';
import { isStorable } from '../../../people/users/user-store.ts';
import type { ProviderIdentity } from '../provider-kind.ts';
import { longestId, readGroups, readShownName } from '../read-identity.ts';

/** Undefined where they are not acceptable. */
export function readClaims(claims: JWTPayload, settings: OidcSettings): ProviderIdentity | undefined {
  const { sub, sid, preferred_username: username, name } = claims;
  const { tenant, groupsClaim } = settings;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestId) return undefined;
  // The provider could not end a session by a name that is not stored.
  if (typeof sid === 'string' && !isStorable(sid)) return undefined;
  if (tenant !== undefined && claims[tenant.claim] !== tenant.value) return undefined;
  return {
    subject: sub,
    name: readShownName(username) || readShownName(name),
    session: typeof sid === 'string' && sid !== '' && sid.length <= longestId ? sid : undefined,
    ...(groupsClaim !== undefined && groupsOf(claims, groupsClaim)),
  };
}

function groupsOf(claims: JWTPayload, claim: string): Pick<ProviderIdentity, 'groups' | 'groupsFault'> {
  if (isOverage(claims, claim)) return { groupsFault: 'groups_overage' };
  const groups = readGroups(claims[claim]);
  return groups === undefined ? { groupsFault: 'groups_unreadable' } : { groups };
}

/** Microsoft Entra ID names no groups of a person who is in more than 200, and says where they could be asked for. */
function isOverage({ hasgroups, _claim_names: elsewhere }: JWTPayload, claim: string): boolean {
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim);
  return isElsewhere || hasgroups === true || hasgroups === 'true';
}
