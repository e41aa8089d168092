// Why a login succeeded or failed, in words.
import { defineTexts } from '../../language/language.ts';
import type { Outcome, Reason } from './log-filter.ts';

const en: Readonly<Record<Reason, string>> = {
  ok: 'Signed in',
  logout: 'Signed out',
  credentials_wrong: 'Wrong username or password',
  captcha_wrong: 'Wrong captcha',
  throttled: 'Too many attempts',
  user_disabled: 'User disabled',
  role_disabled: 'Role disabled',
  params_invalid: 'Incomplete request',
  unavailable: 'Service not available',
};

const zh: Readonly<Record<Reason, string>> = {
  ok: '登录成功',
  logout: '退出登录',
  credentials_wrong: '用户名或密码错误',
  captcha_wrong: '验证码错误',
  throttled: '尝试次数过多',
  user_disabled: '用户已停用',
  role_disabled: '角色已停用',
  params_invalid: '请求不完整',
  unavailable: '服务不可用',
};

const outcomesEn: Readonly<Record<Outcome, string>> = { success: 'Success', failure: 'Failure' };
const outcomesZh: Readonly<Record<Outcome, string>> = { success: '成功', failure: '失败' };

export const reasonTexts = defineTexts({
  en: { reasons: en, outcomes: outcomesEn },
  zh: { reasons: zh, outcomes: outcomesZh },
});
