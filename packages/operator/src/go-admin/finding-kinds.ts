// All kinds of mismatch between go-admin's records and this service, each with a fix.

export type Subject = 'departments' | 'roles' | 'users' | 'rules' | 'menus';

interface FindingText {
  readonly about: Subject;
  readonly effect: 'left out' | 'changed';
  readonly reason: string;
  readonly remedy: string;
}

const again = 'in go-admin and import again.';

export const findingKinds = {
  department_name_unfit: {
    about: 'departments',
    effect: 'left out',
    reason: 'The name is empty, has more than 64 characters, an invisible one, or a space at an end.',
    remedy: `Rename it ${again}`,
  },
  department_name_twice: {
    about: 'departments',
    effect: 'left out',
    reason: 'Departments are told apart by their names, and another one beside it has the same name.',
    remedy: `Rename one of them ${again}`,
  },
  department_parent_missing: {
    about: 'departments',
    effect: 'left out',
    reason: 'The department above it is missing, deleted or left out.',
    remedy: `Move it ${again}`,
  },
  department_circle: {
    about: 'departments',
    effect: 'left out',
    reason: 'It stands below itself.',
    remedy: `Move it ${again}`,
  },
  department_disabled: {
    about: 'departments',
    effect: 'changed',
    reason: 'It is disabled in go-admin, where that decides nothing; departments have no such state here.',
    remedy: 'Nothing needs to be done.',
  },
  role_key_unfit: {
    about: 'roles',
    effect: 'left out',
    reason: 'A role key is 1 to 32 lowercase letters, digits, "_" or "-", a letter first.',
    remedy: 'Give it another key with --role <old=new>.',
  },
  role_key_admin_alike: {
    about: 'roles',
    effect: 'left out',
    reason: 'The role key looks like that of the administrator, but is not.',
    remedy: 'Give it another key with --role <old=new>.',
  },
  role_key_twice: {
    about: 'roles',
    effect: 'left out',
    reason: 'Several roles have this key.',
    remedy: `Delete or rename all but one ${again}`,
  },
  role_scope_unknown: {
    about: 'roles',
    effect: 'changed',
    reason:
      'The data scope is not one of 1 to 5. go-admin may have shown all rows; here it is 5, own rows only.',
    remedy: 'Set it here with `portcullis role data-scope`.',
  },
  role_scope_departments: {
    about: 'roles',
    effect: 'changed',
    reason: 'Its data scope names departments that are missing, deleted or left out. It reaches the others.',
    remedy: 'Set it here with `portcullis role data-scope`.',
  },
  role_name_replaced: {
    about: 'roles',
    effect: 'changed',
    reason: 'The name is empty, too long or unprintable, so the key stands in for it.',
    remedy: 'Rename it in the console.',
  },
  role_status_unknown: {
    about: 'roles',
    effect: 'changed',
    reason: 'The status is not one that go-admin writes, so the role is disabled here.',
    remedy: 'Enable it with `portcullis role enable` where it should be.',
  },
  user_name_unfit: {
    about: 'users',
    effect: 'left out',
    reason: 'A username is 1 to 64 letters, digits and . _ @ + -, a letter or digit first.',
    remedy: `Rename the user ${again}`,
  },
  user_name_twice: {
    about: 'users',
    effect: 'left out',
    reason: 'Another user has the same name but for capitals or the form of its characters.',
    remedy: `Rename or delete one of them ${again}`,
  },
  user_role_missing: {
    about: 'users',
    effect: 'left out',
    reason: 'The user has no role, or one that is missing, deleted or left out.',
    remedy: `Give the user a role ${again}`,
  },
  user_department_missing: {
    about: 'users',
    effect: 'left out',
    reason: 'The user has no department, or one that is missing, deleted or left out.',
    remedy: `Give the user a department ${again}`,
  },
  user_hash_unfit: {
    about: 'users',
    effect: 'left out',
    reason: 'The password is not a bcrypt hash with a cost of 4 to 14, so a login with it would fail.',
    remedy: 'Create the user here with `portcullis user create`.',
  },
  user_deleted_here: {
    about: 'users',
    effect: 'left out',
    reason: 'A user of this name was deleted here, and an import does not restore deleted users.',
    remedy: 'Create the user here with `portcullis user create` where that is wanted.',
  },
  user_published_password: {
    about: 'users',
    effect: 'changed',
    reason: 'The password is the one that go-admin ships, which is published: the user is disabled here.',
    remedy: 'Run `portcullis user reset-password`, then `portcullis user enable`.',
  },
  user_status_unknown: {
    about: 'users',
    effect: 'changed',
    reason: 'The status is not one that go-admin writes, so the user is disabled here.',
    remedy: 'Enable the user with `portcullis user enable` where that is wanted.',
  },
  user_admin_disabled: {
    about: 'users',
    effect: 'changed',
    reason: 'The role `admin` is disabled in go-admin and cannot be here, so its users are.',
    remedy: 'Enable the user with `portcullis user enable` where that is wanted.',
  },
  user_name_replaced: {
    about: 'users',
    effect: 'changed',
    reason: 'The nickname is empty, too long or unprintable, so the username stands in for it.',
    remedy: 'Rename the user in the console.',
  },
  rule_unfit: {
    about: 'rules',
    effect: 'left out',
    reason: 'The rule cannot be expressed here with the same meaning.',
    remedy: 'Give the role what it needs with `portcullis rules grant`.',
  },
  rule_role_missing: {
    about: 'rules',
    effect: 'left out',
    reason: 'The role of the rule is missing, deleted or left out.',
    remedy: 'Nothing needs to be done, unless the role should have been imported.',
  },
  rule_role_there: {
    about: 'rules',
    effect: 'left out',
    reason: 'The role existed before this import, which leaves it as it is, and it lacks the rule.',
    remedy: 'Import again with --add-rules to give such roles what they lack.',
  },
  rule_narrowed: {
    about: 'rules',
    effect: 'changed',
    reason: 'The rule allows a little less here than in go-admin.',
    remedy: 'Give the role what it needs beyond that with `portcullis rules grant`.',
  },
  menu_unfit: {
    about: 'menus',
    effect: 'left out',
    reason: 'It has no number, or is neither a directory (M), nor a page (C), nor a button (F).',
    remedy: `Correct it ${again}`,
  },
  menu_role_missing: {
    about: 'menus',
    effect: 'changed',
    reason: 'It is shown to a role that is missing, deleted or left out; here that role does not see it.',
    remedy: 'Nothing needs to be done, unless the role should have been imported.',
  },
} as const satisfies Readonly<Record<string, FindingText>>;

export type FindingKind = keyof typeof findingKinds;
