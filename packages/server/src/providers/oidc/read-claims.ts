// What of a provider's claims is used: the subject, which with the provider is the key of a link; the tenant, where one is
// pinned; and for people to read, a name. A mail address is never looked up.
import type { OidcSettings } from '@portcullis/contract';
import type { JWTPayload } from 'jose';
import type { Vouched } from '../provider-kind.ts';

const longestSubject = 255;
const longestName = 64;
const mostGroups = 2000;
const longestGroup = 512;

/** Undefined where they are not acceptable. */
export function readClaims(claims: JWTPayload, settings: OidcSettings): Vouched | undefined {
  const { sub, sid, preferred_username: username, name } = claims;
  const { tenant, groupsClaim } = settings;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject) return undefined;
  if (tenant !== undefined && claims[tenant.claim] !== tenant.value) return undefined;
  return {
    subject: sub,
    name: shown(username) || shown(name),
    session: typeof sid === 'string' && sid !== '' && sid.length <= longestSubject ? sid : undefined,
    groups: groupsClaim === undefined ? undefined : readGroups(claims[groupsClaim]),
  };
}

/** Nothing invisible. */
function shown(name: unknown): string {
  if (typeof name !== 'string') return '';
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return visible.trim().slice(0, longestName).toWellFormed();
}

function readGroups(groups: unknown): string[] | undefined {
  if (!Array.isArray(groups) || groups.length > mostGroups) return undefined;
  return groups.filter((group): group is string => typeof group === 'string' && group.length <= longestGroup);
}
