// Every kind of administrative write, with what holds it on its way to the commit: something that its transaction waits
// for, taken before it and given back without a change.

/** What one trial's write is about; nothing else touches it. */
export interface Target {
  readonly userId: number;
  readonly roleId: number;
  readonly departmentId: number;
  readonly jti: string;
  /** A word that nothing else is called. */
  readonly word: string;
}

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** SQL that takes what the write needs. */
  readonly hold: string;
}

/** A role that allows nothing, so that every caller who may do everything may give it. */
export const plainRoleId = 3000;

const user = ({ userId }: Target) => `select from users where id = ${userId} for update`;
const role = ({ roleId }: Target) => `select from roles where id = ${roleId} for update`;
const department = ({ departmentId }: Target) =>
  `select from departments where id = ${departmentId} for update`;
const keys = () => 'lock table keys in share row exclusive mode';
const catalog = ({ word }: Target) => `select pg_advisory_xact_lock(hashtextextended('catalog ${word}', 0))`;

const document = {
  openapi: '3.0.3',
  paths: { '/things': { get: { summary: 'List things', responses: {} } } },
};

/** Of a user: what a caller who is moved to another department may not do any more. */
export const writesOnUsers: Readonly<Record<string, (target: Target) => Write>> = {
  'create a user': (target) => ({
    method: 'POST',
    path: '/api/v1/users',
    body: {
      username: target.word,
      name: 'New',
      departmentId: target.departmentId,
      roleId: plainRoleId,
    },
    hold: department(target),
  }),
  'change a user': (target) => ({
    method: 'PUT',
    path: `/api/v1/users/${target.userId}`,
    body: { name: 'Changed', departmentId: target.departmentId },
    hold: user(target),
  }),
  'disable a user': (target) => ({
    method: 'PUT',
    path: `/api/v1/users/${target.userId}/enabled`,
    body: { enabled: false },
    hold: user(target),
  }),
  'reset a password': (target) => ({
    method: 'PUT',
    path: `/api/v1/users/${target.userId}/password`,
    body: {},
    hold: user(target),
  }),
  'give a role': (target) => ({
    method: 'PUT',
    path: `/api/v1/users/${target.userId}/role`,
    body: { roleId: target.roleId },
    hold: user(target),
  }),
  'delete a user': (target) => ({
    method: 'DELETE',
    path: `/api/v1/users/${target.userId}`,
    hold: user(target),
  }),
  "end a user's sessions": (target) => ({
    method: 'DELETE',
    path: `/api/v1/users/${target.userId}/sessions`,
    hold: user(target),
  }),
  'end a session': (target) => ({
    method: 'DELETE',
    path: `/api/v1/sessions/${target.jti}`,
    hold: `insert into revocations (jti, user_id, expires_at) values ('${target.jti}', ${target.userId}, now())`,
  }),
};

export const writes: Readonly<Record<string, (target: Target) => Write>> = {
  ...writesOnUsers,
  'create a role': (target) => ({
    method: 'POST',
    path: '/api/v1/roles',
    body: { roleKey: target.word, name: 'New', dataScope: '5' },
    hold: `insert into roles (role_key, name, data_scope) values ('${target.word}', 'Held', '5')`,
  }),
  'change a role': (target) => ({
    method: 'PUT',
    path: `/api/v1/roles/${target.roleId}`,
    body: { name: 'Changed', dataScope: '5' },
    hold: role(target),
  }),
  'set a data scope': (target) => ({
    method: 'PUT',
    path: `/api/v1/roles/${target.roleId}/data-scope`,
    body: { dataScope: '3' },
    hold: role(target),
  }),
  'disable a role': (target) => ({
    method: 'PUT',
    path: `/api/v1/roles/${target.roleId}/enabled`,
    body: { enabled: false },
    hold: role(target),
  }),
  'delete a role': (target) => ({
    method: 'DELETE',
    path: `/api/v1/roles/${target.roleId}`,
    hold: role(target),
  }),
  'add a rule': (target) => ({
    method: 'POST',
    path: `/api/v1/roles/${target.roleId}/rules`,
    body: { add: [{ method: 'GET', path: `/api/v1/${target.word}` }] },
    hold: role(target),
  }),
  'create a department': (target) => ({
    method: 'POST',
    path: '/api/v1/departments',
    body: { name: 'New', parentId: target.departmentId },
    hold: department(target),
  }),
  'rename a department': (target) => ({
    method: 'PUT',
    path: `/api/v1/departments/${target.departmentId}`,
    body: { name: 'Changed', parentId: null },
    hold: department(target),
  }),
  'import routes': (target) => ({
    method: 'PUT',
    path: `/api/v1/routes/${target.word}`,
    body: document,
    hold: catalog(target),
  }),
  'create a key': () => ({ method: 'POST', path: '/api/v1/keys', hold: keys() }),
};
