// What of an answer about a person is used: the subject, which with the provider is the key of a link; the tenant, where one
// is pinned; and for people to read, a name. A mail address is never looked up.
import { isStorable } from '../../../people/users/user-store.ts';
import type { ProviderIdentity } from '../provider-kind.ts';
import { longestId, readGroups, readShownName } from '../read-identity.ts';
import type { CompleteSettings } from './complete-settings.ts';
import { readPointer } from './json-pointer.ts';
import type { Answered } from './read-answer.ts';

/** Undefined where it vouches for nobody. */
export function readUser(
  user: Answered,
  token: Answered,
  settings: CompleteSettings,
): ProviderIdentity | undefined {
  const { clientAuth, subjectPlace, namePlace, groupsPlace, tenantPlace, tenantIn, tenant } = settings;
  const subject = readId(readPointer(user, subjectPlace));
  if (subject === undefined) return undefined;
  // Somebody of a company that is linked to this one there.
  if (clientAuth === 'corp' && subject.includes('/')) return undefined;
  if (tenantPlace !== undefined) {
    const found = readId(readPointer(tenantIn === 'token' ? token : user, tenantPlace));
    if (found === undefined || found !== tenant) return undefined;
  }
  return {
    subject,
    name: namePlace === undefined ? '' : readShownName(readPointer(user, namePlace)),
    ...(groupsPlace !== undefined && groupsOf(readPointer(user, groupsPlace))),
  };
}

function groupsOf(found: unknown): Pick<ProviderIdentity, 'groups' | 'groupsFault'> {
  const groups = readGroups(found);
  return groups === undefined ? { groupsFault: 'groups_unreadable' } : { groups };
}

/** A number that JSON did not round is as good as its digits. */
function readId(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id !== 'string' || id.trim() === '' || id.length > longestId) return undefined;
  return isStorable(id) ? id : undefined;
}
