// Every endpoint of the service itself.
import type { Endpoint } from '../endpoint.ts';
import { listAuditEndpoint } from './audit.ts';
import { captchaEndpoint, goAdminCaptchaEndpoint } from './captcha.ts';
import {
  deleteRoutesEndpoint,
  importRoutesEndpoint,
  listRoutesEndpoint,
  reportRoutesEndpoint,
} from './catalog.ts';
import {
  changeDepartmentEndpoint,
  createDepartmentEndpoint,
  deleteDepartmentEndpoint,
  listDepartmentsEndpoint,
} from './departments.ts';
import { listExclusionsEndpoint } from './exclusions.ts';
import { explainEndpoint } from './explain.ts';
import { getInfoEndpoint } from './get-info.ts';
import { listInstancesEndpoint } from './instances.ts';
import {
  activateKeyEndpoint,
  createKeyEndpoint,
  emergencyRetireKeyEndpoint,
  jwksEndpoint,
  listKeysEndpoint,
  retireKeyEndpoint,
} from './keys.ts';
import { loginEndpoint } from './login.ts';
import {
  countLoginLogsEndpoint,
  exportLoginLogsEndpoint,
  listLoginLogsEndpoint,
  tailLoginLogsEndpoint,
  topLoginFailuresEndpoint,
} from './login-logs.ts';
import { logoutEndpoint } from './logout.ts';
import { matrixEndpoint } from './matrix.ts';
import { openApiEndpoint } from './openapi.ts';
import { setOwnPasswordEndpoint } from './own-password.ts';
import { profileEndpoint } from './profile.ts';
import {
  changeRoleEndpoint,
  createRoleEndpoint,
  deleteRoleEndpoint,
  getRoleEndpoint,
  listRolesEndpoint,
  setRoleDataScopeEndpoint,
  setRoleEnabledEndpoint,
} from './roles.ts';
import {
  changeRulesEndpoint,
  compareRulesEndpoint,
  listRuleHistoryEndpoint,
  listRulesEndpoint,
  rollbackRulesEndpoint,
} from './rules.ts';
import {
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  listSessionsEndpoint,
} from './sessions.ts';
import {
  changeUserEndpoint,
  createUserEndpoint,
  deleteUserEndpoint,
  getUserEndpoint,
  listUsersEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
} from './users.ts';

export const endpoints: readonly Endpoint[] = [
  captchaEndpoint,
  goAdminCaptchaEndpoint,
  loginEndpoint,
  logoutEndpoint,
  profileEndpoint,
  getInfoEndpoint,
  setOwnPasswordEndpoint,
  listSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  endAllSessionsEndpoint,
  jwksEndpoint,
  listKeysEndpoint,
  createKeyEndpoint,
  activateKeyEndpoint,
  retireKeyEndpoint,
  emergencyRetireKeyEndpoint,
  listUsersEndpoint,
  getUserEndpoint,
  createUserEndpoint,
  changeUserEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
  deleteUserEndpoint,
  listRolesEndpoint,
  getRoleEndpoint,
  createRoleEndpoint,
  changeRoleEndpoint,
  deleteRoleEndpoint,
  setRoleEnabledEndpoint,
  setRoleDataScopeEndpoint,
  listDepartmentsEndpoint,
  createDepartmentEndpoint,
  changeDepartmentEndpoint,
  deleteDepartmentEndpoint,
  listRulesEndpoint,
  changeRulesEndpoint,
  compareRulesEndpoint,
  listRuleHistoryEndpoint,
  rollbackRulesEndpoint,
  listInstancesEndpoint,
  listLoginLogsEndpoint,
  countLoginLogsEndpoint,
  topLoginFailuresEndpoint,
  tailLoginLogsEndpoint,
  exportLoginLogsEndpoint,
  listRoutesEndpoint,
  reportRoutesEndpoint,
  importRoutesEndpoint,
  deleteRoutesEndpoint,
  listAuditEndpoint,
  explainEndpoint,
  matrixEndpoint,
  listExclusionsEndpoint,
  openApiEndpoint,
];
