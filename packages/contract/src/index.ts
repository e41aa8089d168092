export { AppError } from './app-error.ts';
export {
  type Access,
  accesses,
  defineEndpoint,
  type Endpoint,
  type HttpMethod,
  httpMethods,
  type StreamEndpoint,
} from './endpoint.ts';
export { endpoints } from './endpoints/all.ts';
export { captchaEndpoint, goAdminCaptchaEndpoint } from './endpoints/captcha.ts';
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
export { profileEndpoint } from './endpoints/profile.ts';
export { setRoleDataScopeEndpoint, setRoleEnabledEndpoint } from './endpoints/roles.ts';
export {
  changeRulesEndpoint,
  listRulesEndpoint,
  RuleChangesBody,
  ruleChangesLimit,
} from './endpoints/rules.ts';
export {
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  listSessionsEndpoint,
} from './endpoints/sessions.ts';
export {
  deleteUserEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
} from './endpoints/users.ts';
export { authReasons, type ErrorKind, errorTable } from './error-table.ts';
export type { Call, Handler, Pieces, Reply } from './handler.ts';
export {
  type LoginAttempt,
  type LoginOutcome,
  type LoginReason,
  loginOutcomes,
  loginReasons,
} from './login-log.ts';
export { type Language, languages, negotiateLanguage, successMessage } from './messages.ts';
export { defaultPageLimit, pageReply } from './page.ts';
export { dataReply, ErrorReply, reply } from './reply.ts';
export { type DataScope, dataScopeOf, dataScopes, isRoleKey, roleKeyPattern } from './role.ts';
export { type Account, Caller, jtiPattern, TokenClaims } from './token.ts';
