// Reads the identity from the claims of an ID token: the subject, which is the key of a link together with the provider; the
// pinned tenant; the session id; the groups; and a name for display. No account is searched by a mail address.
import type { OidcSettings } from '@portcullis/contract';
import type { JWTPayload } from 'jose';
import { isStorable } from '../../../people/users/user-store.ts';
import type { ProviderIdentity } from '../provider-kind.ts';
import { longestId, readGroups, readShownName } from '../read-identity.ts';

/** Undefined when the claims identify no person of the pinned tenant. */
export function readClaims(claims: JWTPayload, settings: OidcSettings): ProviderIdentity | undefined {
  const { sub, sid, preferred_username: username, name } = claims;
  const { tenant, groupsClaim } = settings;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestId) return undefined;
  // A session id that the database cannot store could not end the session at a logout of the provider.
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

/** Microsoft Entra ID leaves out the groups of a person in more than 200 groups, and names an endpoint for them (overage). */
function isOverage({ hasgroups, _claim_names: elsewhere }: JWTPayload, claim: string): boolean {
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim);
  return isElsewhere || hasgroups === true || hasgroups === 'true';
}
