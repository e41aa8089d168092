// One row a call: method, path and, of a stream, its content type. The types hold every row to its endpoint, and an
// endpoint of `contract` without a row does not compile.
import type * as contract from '@portcullis/contract';
import type { Endpoint, StreamEndpoint } from '@portcullis/contract';

type Contract = typeof contract;
type NameOf<Export extends string> = Export extends `${infer Name}Endpoint` ? Name : Export;

/** Every endpoint that `contract` exports, by the name of its call: `loginEndpoint` is called by `login`. */
export type Endpoints = {
  readonly [K in keyof Contract as Contract[K] extends Endpoint
    ? NameOf<K>
    : never]: Contract[K] extends Endpoint ? Contract[K] : never;
};
export type CallName = keyof Endpoints;

export type CallRow<E extends Endpoint> = E extends StreamEndpoint
  ? readonly [method: E['method'], path: E['path'], stream: E['stream']]
  : readonly [method: E['method'], path: E['path']];

// biome-ignore format: One row a call.
export const calls = {
  captcha:              ['GET',    '/api/v1/getCaptcha'],
  goAdminCaptcha:       ['GET',    '/api/v1/captcha'],
  login:                ['POST',   '/api/v1/login'],
  logout:               ['POST',   '/api/v1/logout'],
  profile:              ['GET',    '/api/v1/user/profile'],
  getInfo:              ['GET',    '/api/v1/getinfo'],
  setOwnPassword:       ['PUT',    '/api/v1/user/password'],
  listSessions:         ['GET',    '/api/v1/sessions'],
  endSession:           ['DELETE', '/api/v1/sessions/:jti'],
  endUserSessions:      ['DELETE', '/api/v1/users/:id/sessions'],
  endAllSessions:       ['DELETE', '/api/v1/sessions'],
  jwks:                 ['GET',    '/api/v1/jwks'],
  listKeys:             ['GET',    '/api/v1/keys'],
  createKey:            ['POST',   '/api/v1/keys'],
  activateKey:          ['POST',   '/api/v1/keys/:kid/activate'],
  retireKey:            ['POST',   '/api/v1/keys/:kid/retire'],
  emergencyRetireKey:   ['POST',   '/api/v1/keys/:kid/emergency-retire'],
  listUsers:            ['GET',    '/api/v1/users'],
  getUser:              ['GET',    '/api/v1/users/:id'],
  createUser:           ['POST',   '/api/v1/users'],
  changeUser:           ['PUT',    '/api/v1/users/:id'],
  setUserEnabled:       ['PUT',    '/api/v1/users/:id/enabled'],
  setUserPassword:      ['PUT',    '/api/v1/users/:id/password'],
  setUserRole:          ['PUT',    '/api/v1/users/:id/role'],
  deleteUser:           ['DELETE', '/api/v1/users/:id'],
  listRoles:            ['GET',    '/api/v1/roles'],
  getRole:              ['GET',    '/api/v1/roles/:id'],
  createRole:           ['POST',   '/api/v1/roles'],
  changeRole:           ['PUT',    '/api/v1/roles/:id'],
  deleteRole:           ['DELETE', '/api/v1/roles/:id'],
  setRoleEnabled:       ['PUT',    '/api/v1/roles/:id/enabled'],
  setRoleDataScope:     ['PUT',    '/api/v1/roles/:id/data-scope'],
  listDepartments:      ['GET',    '/api/v1/departments'],
  createDepartment:     ['POST',   '/api/v1/departments'],
  changeDepartment:     ['PUT',    '/api/v1/departments/:id'],
  deleteDepartment:     ['DELETE', '/api/v1/departments/:id'],
  listRules:            ['GET',    '/api/v1/roles/:id/rules'],
  changeRules:          ['POST',   '/api/v1/roles/:id/rules'],
  compareRules:         ['POST',   '/api/v1/roles/:id/rules/compare'],
  listRuleHistory:      ['GET',    '/api/v1/roles/:id/rules/history'],
  rollbackRules:        ['POST',   '/api/v1/roles/:id/rules/rollback'],
  listInstances:        ['GET',    '/api/v1/instances'],
  listLoginLogs:        ['GET',    '/api/v1/login-logs'],
  countLoginLogs:       ['GET',    '/api/v1/login-logs/counts'],
  topLoginFailures:     ['GET',    '/api/v1/login-logs/top'],
  tailLoginLogs:        ['GET',    '/api/v1/login-logs/tail', 'text/event-stream'],
  exportLoginLogs:      ['GET',    '/api/v1/login-logs/export', 'text/csv; charset=utf-8'],
  listRoutes:           ['GET',    '/api/v1/routes'],
  reportRoutes:         ['GET',    '/api/v1/routes/report'],
  importRoutes:         ['PUT',    '/api/v1/routes/:service'],
  deleteRoutes:         ['DELETE', '/api/v1/routes/:service'],
  listAudit:            ['GET',    '/api/v1/audit'],
  explain:              ['GET',    '/api/v1/explain'],
  matrix:               ['GET',    '/api/v1/matrix'],
  listExclusions:       ['GET',    '/api/v1/exclusions'],
  openApi:              ['GET',    '/api/v1/openapi.json', 'application/json; charset=utf-8'],
} as const satisfies { readonly [N in CallName]: CallRow<Endpoints[N]> };
