import { describe, expect, it } from 'vitest';
import { areMappingsValid, createGroupMap } from '../../../../src/sign-in/providers/groups/map-groups.ts';

const to = (group: string, roleId: number) => ({ group, roleId, departmentId: null });

describe('a mapping', () => {
  it.each([
    ['of everybody to admin', [to('*', 1)]],
    ['of what is no distinguished name', [to('staff', 2)]],
    ['of a pattern', [to('cn=*', 2), to('staff*', 2)]],
  ])('%s is not taken', (_what, mappings) => {
    expect(areMappingsValid('ldap', mappings)).toBe(false);
  });

  it('of a group to admin is accepted, and of all people to another role', () => {
    expect(areMappingsValid('ldap', [to('cn=admins,dc=x', 1), to('*', 2)])).toBe(true);
  });

  it('of all people never grants admin, also when one is stored', () => {
    expect(createGroupMap('ldap', [to('*', 1)])(['cn=a,dc=x'])).toBeUndefined();
    expect(createGroupMap('ldap', [to('*', 2)])([])?.roleId).toBe(2);
  });

  it('of a star inside a name is one group, and not many', () => {
    expect(createGroupMap('ldap', [to('cn=*,dc=x', 2)])(['cn=a,dc=x'])).toBeUndefined();
  });

  it('counts where it is the first that matches', () => {
    const map = createGroupMap('ldap', [to('CN=B, dc=X', 2), to('cn=a,dc=x', 3), to('*', 4)]);
    expect(map(['cn=a,dc=x', 'cn=b,dc=x'])?.roleId).toBe(2);
    expect(map(['cn=a,dc=x'])?.roleId).toBe(3);
    expect(map([])?.roleId).toBe(4);
  });

  it('without known groups matches only a star before all other rows', () => {
    expect(createGroupMap('oidc', [to('banned', 3), to('*', 2)])(undefined)).toBeUndefined();
    expect(createGroupMap('oidc', [to('*', 2), to('staff', 3)])(undefined)?.roleId).toBe(2);
    expect(createGroupMap('oidc', [])(undefined)).toBeUndefined();
  });

  it('compares the groups of other providers as they are', () => {
    const map = createGroupMap('oidc', [to('Staff', 2)]);
    expect(map(['staff'])).toBeUndefined();
    expect(map(['Staff'])?.roleId).toBe(2);
  });
});
