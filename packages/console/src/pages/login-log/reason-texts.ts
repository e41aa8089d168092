// The outcome reasons and login methods in words.
import { defineTexts } from '../../language/language.ts';
import type { Method, Outcome, Reason } from './log-filter.ts';

const en: Readonly<Record<Reason, string>> = {
  ok: 'Signed in',
  logout: 'Signed out',
  credentials_wrong: 'Wrong username or password',
  captcha_wrong: 'Wrong captcha',
  factor_required: 'Second step needed',
  throttled: 'Too many attempts',
  user_disabled: 'User disabled',
  role_disabled: 'Role disabled',
  provider_login_required: 'Must sign in by the provider',
  groups_unreadable: 'Groups missing or unreadable',
  groups_overage: 'Too many groups for the token',
  params_invalid: 'Incomplete request',
  unavailable: 'Service not available',
};

const zh: Readonly<Record<Reason, string>> = {
  ok: '登录成功',
  logout: '退出登录',
  credentials_wrong: '用户名或密码错误',
  captcha_wrong: '验证码错误',
  factor_required: '需要第二步验证',
  throttled: '尝试次数过多',
  user_disabled: '用户已停用',
  role_disabled: '角色已停用',
  provider_login_required: '必须通过身份提供方登录',
  groups_unreadable: '用户组缺失或无法读取',
  groups_overage: '用户组过多，令牌中未列出',
  params_invalid: '请求不完整',
  unavailable: '服务不可用',
};

const outcomesEn: Readonly<Record<Outcome, string>> = { success: 'Success', failure: 'Failure' };
const outcomesZh: Readonly<Record<Outcome, string>> = { success: '成功', failure: '失败' };

const methodsEn: Readonly<Record<Method, string>> = {
  password: 'Password',
  totp: 'Authenticator app',
  recovery: 'Recovery code',
  passkey: 'Passkey',
  key: 'Key of a service account',
  oidc: 'Company account',
  oauth: 'Company account (OAuth)',
  ldap: 'Company directory',
};
const methodsZh: Readonly<Record<Method, string>> = {
  password: '密码',
  totp: '验证器应用',
  recovery: '恢复码',
  passkey: '通行密钥',
  key: '服务账号密钥',
  oidc: '企业账号',
  oauth: '企业账号（OAuth）',
  ldap: '企业目录',
};

export const reasonTexts = defineTexts({
  en: { reasons: en, outcomes: outcomesEn, methods: methodsEn },
  zh: { reasons: zh, outcomes: outcomesZh, methods: methodsZh },
});
