// Every endpoint of the service itself.
import type { Endpoint } from '../endpoint.ts';
import { captchaEndpoint, goAdminCaptchaEndpoint } from './captcha.ts';
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
import { profileEndpoint } from './profile.ts';
import { setRoleDataScopeEndpoint, setRoleEnabledEndpoint } from './roles.ts';
import { changeRulesEndpoint, listRulesEndpoint } from './rules.ts';
import {
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  listSessionsEndpoint,
} from './sessions.ts';
import {
  deleteUserEndpoint,
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
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
  deleteUserEndpoint,
  setRoleEnabledEndpoint,
  setRoleDataScopeEndpoint,
  listRulesEndpoint,
  changeRulesEndpoint,
  listInstancesEndpoint,
  listLoginLogsEndpoint,
  countLoginLogsEndpoint,
  topLoginFailuresEndpoint,
  tailLoginLogsEndpoint,
  exportLoginLogsEndpoint,
];
