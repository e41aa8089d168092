// Groups that become roles: who sets mappings, what is applied, and what becomes of people whose groups change.
import type { Weakness } from './weakness.ts';

const providers = 'packages/server/src/sign-in/providers';
const mappings = `${providers}/groups/mapping-changes.ts`;
const map = `${providers}/groups/map-groups.ts`;
const settle = `${providers}/groups/apply-group-mapping.ts`;
const attacks = 'test/attack/directories/directories-groups.test.ts';

export const groupWeaknesses: readonly Weakness[] = [
  {
    name: 'a mapping of everybody to admin is stored',
    file: map,
    before: '(group !== everybody || roleId !== adminRoleId)',
    after: 'roleId > 0',
    seenBy: [attacks],
    threat: 'T211',
    attacks: ['T211: never give admin to all people, and give it to a group'],
  },
  {
    name: 'anybody sets mappings',
    file: mappings,
    before: 'canManage.ofEverybody(call.caller);\n      const provider = await getProvider(id);',
    after: 'const provider = await getProvider(id);',
    also: [
      {
        file: 'packages/gate/src/checks/permission-check.ts',
        before: 'if (decide(',
        after: "if (!path.startsWith('/api/v1/providers/') && decide(",
      },
    ],
    seenBy: [attacks],
    threat: 'T211',
    attacks: ['T211: are set only by an administrator'],
  },
  {
    name: 'of several groups the one that gives most counts',
    file: map,
    before: 'spelled.find(({ group }) => group === everybody || names.has(group))?.mapping',
    after: `spelled
      .filter(({ group }) => group === everybody || names.has(group))
      .map(({ mapping }) => mapping)
      .sort((one, other) => one.roleId - other.roleId)[0]`,
    seenBy: [attacks],
    threat: 'T211',
    attacks: ['T211: apply in their order, also by nested groups'],
  },
  {
    name: 'mappings are applied whatever was shown',
    file: mappings,
    before: "if (now.digest !== wish.digest) throw new AppError('plan_changed');",
    after: '',
    seenBy: [attacks],
    threat: 'T212',
    attacks: ['T212: is not applied: '],
  },
  {
    name: 'groups give roles by a change of the provider, beside the plan',
    file: 'packages/contract/src/endpoints/sign-in/providers.ts',
    before: 'changed({ ...fields, secret })',
    after: 'changed({ ...fields, secret, roleSource: Type.String() })',
    also: [
      {
        file: `${providers}/provider-store.ts`,
        before: 'lifetime_seconds: fields.lifetimeSeconds,',
        after: `lifetime_seconds: fields.lifetimeSeconds,
    ...(fields.roleSource && { role_source: fields.roleSource }),`,
      },
    ],
    seenBy: [attacks],
    threat: 'T212',
    attacks: ['T212: is not enabled past the plan'],
  },
  {
    name: 'people whom no mapping matches keep their sessions when mappings are applied',
    file: mappings,
    before: 'return [...changes, ...(await endLinksOfNow(transaction, provider.id, links))];',
    after: 'return changes;',
    seenBy: [attacks],
    threat: 'T213',
    attacks: ['T213: is locked out when the call returns'],
  },
  {
    name: 'people in another group keep their role when a directory is asked again',
    file: `${providers}/ldap/recheck.ts`,
    before: "isHere ? 'stays' : 'moved'",
    after: "isHere ? 'stays' : 'stays'",
    seenBy: [attacks],
    threat: 'T213',
    attacks: ['T213: is found by the next recheck'],
  },
  {
    name: 'groups give roles where roles are given here',
    file: settle,
    before: "if (provider.roleSource === 'local') return standard;",
    after: '',
    also: [
      {
        file: settle,
        before: "return provider.roleSource === 'first_login' ? standard : undefined;",
        after: "return provider.roleSource === 'every_login' ? undefined : standard;",
      },
    ],
    seenBy: [attacks],
    threat: 'T213',
    attacks: ['T213: keeps the role where an administrator gives it'],
  },
  {
    name: 'mappings take the last administrator away',
    file: mappings,
    before: 'lost.length === 0 ||',
    after: 'lost.length >= 0 ||',
    also: [
      {
        file: mappings,
        before: 'if (batch.length === 1 && isDemoted(each))\n',
        after: 'if (batch.length === 0)\n',
      },
    ],
    seenBy: [attacks],
    threat: 'T213',
    attacks: ['T213: stays an administrator as the last one'],
  },
];
