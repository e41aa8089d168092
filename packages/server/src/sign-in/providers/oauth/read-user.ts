// Reads the identity from a userinfo answer: the subject, which is the key of a link together with the provider; the pinned
// tenant; the groups; and a name for display. No account is searched by a mail address.
import { isStorable } from '../../../people/users/user-store.ts';
import type { ProviderIdentity } from '../provider-kind.ts';
import { longestId, readGroups, readShownName } from '../read-identity.ts';
import type { CompleteSettings } from './complete-settings.ts';
import { readPointer } from './json-pointer.ts';
import type { Answered } from './read-answer.ts';

/** Undefined when the answer identifies no person of the pinned tenant. */
export function readUser(
  user: Answered,
  token: Answered,
  settings: CompleteSettings,
): ProviderIdentity | undefined {
  const { clientAuth, subjectPath, namePath, groupsPath, tenantPath, tenantIn, tenant } = settings;
  const subject = readId(readPointer(user, subjectPath));
  if (subject === undefined) return undefined;
  // A person of another company that is linked to this one in WeCom.
  if (clientAuth === 'corp' && subject.includes('/')) return undefined;
  if (tenantPath !== undefined) {
    const found = readId(readPointer(tenantIn === 'token' ? token : user, tenantPath));
    if (found === undefined || found !== tenant) return undefined;
  }
  return {
    subject,
    name: namePath === undefined ? '' : readShownName(readPointer(user, namePath)),
    ...(groupsPath !== undefined && groupsOf(readPointer(user, groupsPath))),
  };
}

function groupsOf(found: unknown): Pick<ProviderIdentity, 'groups' | 'groupsFault'> {
  const groups = readGroups(found);
  return groups === undefined ? { groupsFault: 'groups_unreadable' } : { groups };
}

/** Accepts a text, or an integer that JSON has not rounded. */
function readId(id: unknown): string | undefined {
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id !== 'string' || id.trim() === '' || id.length > longestId) return undefined;
  return isStorable(id) ? id : undefined;
}
