// Refuses a login when the person's groups decide the role and are not known. An unreadable group may be mapped to a disabled
// role, so no later mapping, such as the star, is used in its stead.
import type { Store } from '../../../cluster/store/store.ts';
import type { GroupsFault, ProviderIdentity } from '../provider-kind.ts';
import type { StoredProvider } from '../provider-store.ts';
import { createGroupMap } from './map-groups.ts';
import { listMappings } from './mapping-store.ts';

/** Undefined when the groups are known, or do not decide the role. */
export type FindGroupsFault = (
  provider: StoredProvider,
  identity: ProviderIdentity,
  isNew: boolean,
) => Promise<GroupsFault | undefined>;

/** Writes to the process log what the operator must change at the provider. */
type Report = (provider: string, error: unknown) => void;

const advice: Readonly<Record<GroupsFault, string>> = {
  groups_unreadable:
    'A mapping names a group, but the provider sent no list of at most 2,000 groups. Configure the provider to send the list for every person, also an empty list, and check `groupsClaim` or `groupsPath`.',
  groups_overage:
    'The provider left the groups out of the token because there are too many (overage: `_claim_names` or `hasgroups`). In Microsoft Entra ID, choose "Groups assigned to the application" under Token configuration, or map app roles with `groupsClaim` set to `roles`.',
};

export function createFindGroupsFault(store: Store, report: Report): FindGroupsFault {
  return async (provider, { groups, groupsFault = 'groups_unreadable' }, isNew) => {
    const { roleSource, kind, key, id } = provider;
    const doGroupsDecide = roleSource === 'every_login' || (roleSource === 'first_login' && isNew);
    if (!doGroupsDecide || groups !== undefined) return undefined;
    const mappings = await listMappings(store, id);
    if (mappings.length === 0 || createGroupMap(kind, mappings)(undefined) !== undefined) return undefined;
    report(key, new Error(advice[groupsFault]));
    return groupsFault;
  };
}
