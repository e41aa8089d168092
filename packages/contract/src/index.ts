export { AppError } from './app-error.ts';
export { displayNamePattern } from './display-name.ts';
export {
  type Access,
  accesses,
  defineEndpoint,
  type Endpoint,
  type EndpointExample,
  type HttpMethod,
  httpMethods,
  type StreamEndpoint,
} from './endpoint.ts';
export { endpoints } from './endpoints/all.ts';
export { type AuditFilter, type AuditItem, listAuditEndpoint } from './endpoints/audit.ts';
export { captchaEndpoint, goAdminCaptchaEndpoint } from './endpoints/captcha.ts';
export {
  type CatalogRoute,
  catalogLimits,
  deleteRoutesEndpoint,
  importRoutesEndpoint,
  listedLimits,
  listRoutesEndpoint,
  ownServiceName,
  type RouteImport,
  type RouteReport,
  reportRoutesEndpoint,
  type SkippedRoute,
  servicePattern,
} from './endpoints/catalog.ts';
export {
  changeDepartmentEndpoint,
  createDepartmentEndpoint,
  type Department,
  deleteDepartmentEndpoint,
  listDepartmentsEndpoint,
} from './endpoints/departments.ts';
export { exclusionDays, listExclusionsEndpoint } from './endpoints/exclusions.ts';
export { type Explained, type ExplainStep, explainEndpoint, explainSteps } from './endpoints/explain.ts';
export { getInfoEndpoint } from './endpoints/get-info.ts';
export { listInstancesEndpoint } from './endpoints/instances.ts';
export {
  activateKeyEndpoint,
  createKeyEndpoint,
  emergencyRetireKeyEndpoint,
  jwksEndpoint,
  type KeyState,
  keyStates,
  listKeysEndpoint,
  retireKeyEndpoint,
} from './endpoints/keys.ts';
export { LoginBody, loginEndpoint } from './endpoints/login.ts';
export {
  countLoginLogsEndpoint,
  exportLoginLogsEndpoint,
  type LoginLogFilter,
  type LoginLogItem,
  listLoginLogsEndpoint,
  loginLogFields,
  tailLoginLogsEndpoint,
  topLoginFailuresEndpoint,
} from './endpoints/login-logs.ts';
export { logoutEndpoint } from './endpoints/logout.ts';
export {
  type MatrixCell,
  type MatrixRole,
  type MatrixRoute,
  matrixCells,
  matrixEndpoint,
  matrixRoutesLimit,
} from './endpoints/matrix.ts';
export { openApiEndpoint } from './endpoints/openapi.ts';
export { setOwnPasswordEndpoint } from './endpoints/own-password.ts';
export { profileEndpoint } from './endpoints/profile.ts';
export {
  changeRoleEndpoint,
  createRoleEndpoint,
  deleteRoleEndpoint,
  getRoleEndpoint,
  listRolesEndpoint,
  type RoleDetail,
  type RoleItem,
  setRoleDataScopeEndpoint,
  setRoleEnabledEndpoint,
} from './endpoints/roles.ts';
export {
  changeRulesEndpoint,
  compareRulesEndpoint,
  countedUsersLimit,
  listedRulesLimit,
  listRuleHistoryEndpoint,
  listRulesEndpoint,
  type Reach,
  type RouteComparison,
  RuleChangesBody,
  type RuleComparison,
  type RuleHistoryItem,
  reaches,
  rollbackLimit,
  rollbackRulesEndpoint,
  ruleChangesLimit,
} from './endpoints/rules.ts';
export {
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  listSessionsEndpoint,
} from './endpoints/sessions.ts';
export {
  changeUserEndpoint,
  createUserEndpoint,
  deleteUserEndpoint,
  getUserEndpoint,
  listUsersEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
  User,
  usernamePattern,
} from './endpoints/users.ts';
export { authReasonHeader, type ErrorAnswer, errorAnswer, jsonContentType } from './error-answer.ts';
export { authReasons, type ErrorKind, errorTable } from './error-table.ts';
export { errorsOf } from './errors-of.ts';
export { requestExampleOf } from './example.ts';
export type { Answer, Call, Handler, Pieces, Reply } from './handler.ts';
export {
  type LoginAttempt,
  type LoginOutcome,
  type LoginReason,
  loginOutcomes,
  loginReasons,
} from './login-log.ts';
export { type Language, languages, negotiateLanguage, successMessage } from './messages.ts';
export { createOpenApi, type OpenApiDocument, type OpenApiOperation } from './openapi.ts';
export { defaultPageLimit, pageReply } from './page.ts';
export { dataReply, ErrorReply, reply } from './reply.ts';
export { type DataScope, dataScopeOf, dataScopes, isRoleKey, roleKeyPattern } from './role.ts';
export { routeName } from './route-name.ts';
export { type Account, Caller, jtiPattern, maxTokenLifetimeSeconds, TokenClaims } from './token.ts';
