// The error table: every error that a caller can receive, with the code in the body, the HTTP status, the header X-Auth-Reason
// and the texts. A refusal is HTTP 200 (Spec, Errors 1); a fault of the service has its real status.
import type { Text } from '../messages.ts';

export const authReasons = [
  'token_missing',
  'token_malformed',
  'token_expired',
  'token_revoked',
  'permission_denied',
  'rate_limited',
  'captcha_wrong',
  'credentials_wrong',
  'factor_required',
  'params_invalid',
  'password_change_required',
  'password_weak',
  'cross_site',
  'unavailable',
] as const;
export type AuthReason = (typeof authReasons)[number];

interface ErrorRow {
  readonly code: number;
  readonly status: number;
  readonly reason?: AuthReason;
  readonly text: Text;
}

export const errorTable = {
  token_missing: {
    code: 401,
    status: 200,
    reason: 'token_missing',
    text: { en: 'You are not signed in. Sign in and try again.', zh: '您尚未登录，请登录后重试。' },
  },
  token_malformed: {
    code: 401,
    status: 200,
    reason: 'token_malformed',
    text: { en: 'The token is not valid here. Sign in again.', zh: '令牌无效，请重新登录。' },
  },
  token_expired: {
    code: 401,
    status: 200,
    reason: 'token_expired',
    text: { en: 'Your session has expired. Sign in again.', zh: '登录已过期，请重新登录。' },
  },
  token_revoked: {
    code: 401,
    status: 200,
    reason: 'token_revoked',
    text: { en: 'Your session was ended. Sign in again.', zh: '登录已被终止，请重新登录。' },
  },
  permission_denied: {
    code: 401,
    status: 200,
    reason: 'permission_denied',
    text: {
      en: 'Your role may not do this. Ask an administrator for the permission.',
      zh: '您的角色没有此权限，请联系管理员。',
    },
  },
  exceeds_own_permissions: {
    code: 401,
    status: 200,
    reason: 'permission_denied',
    text: {
      en: 'This needs more permissions or a larger data scope than you have. Ask an administrator, or a colleague who has them.',
      zh: '此操作超出您自己的权限或数据范围，请联系范围更大的同事或管理员。',
    },
  },
  rate_limited: {
    code: 429,
    status: 200,
    reason: 'rate_limited',
    text: { en: 'Too many requests. Wait a moment and try again.', zh: '请求过于频繁，请稍后再试。' },
  },
  cross_site: {
    code: 401,
    status: 200,
    reason: 'cross_site',
    text: {
      en: 'This call came from another site. Open the application itself and try again.',
      zh: '请求来自其他站点，请在本应用内重试。',
    },
  },
  params_invalid: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'The request is incomplete or malformed. Check its fields.',
      zh: '请求参数不完整或格式错误，请检查。',
    },
  },
  password_change_required: {
    code: 403,
    status: 200,
    reason: 'password_change_required',
    text: { en: 'Change your password first.', zh: '请先修改密码。' },
  },
  password_weak: {
    code: 400,
    status: 200,
    reason: 'password_weak',
    text: {
      en: 'This password is too short, too common, too close to a name, or the same as the current one. Choose a longer one, such as several unrelated words.',
      zh: '密码过短、过于常见、与名称过于相近或与当前密码相同，请换用更长的密码，例如几个互不相关的词。',
    },
  },
  captcha_missing: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'The captcha is missing. Send its id as `uuid` and what it shows as `code`.',
      zh: '缺少验证码，请在 `uuid` 中提交验证码编号，在 `code` 中提交图中字符。',
    },
  },
  captcha_wrong: {
    code: 400,
    status: 200,
    reason: 'captcha_wrong',
    text: {
      en: 'The captcha is wrong or no longer valid. Fetch a new one.',
      zh: '验证码错误或已失效，请刷新后重试。',
    },
  },
  credentials_wrong: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: { en: 'The username or password is wrong.', zh: '用户名或密码错误。' },
  },
  code_wrong: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: {
      en: 'The code is wrong or was used before. Wait for the next one and try again.',
      zh: '动态码错误或已使用，请等待下一个再试。',
    },
  },
  passkey_wrong: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: {
      en: 'This passkey was not accepted. Try again, or use another one.',
      zh: '此通行密钥未被接受，请重试或使用另一个。',
    },
  },
  key_wrong: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: {
      en: 'This assertion was not accepted. Check the key, the account, the audience and the clock, and sign a new one.',
      zh: '此断言未被接受。请检查密钥、账号、受众和时钟，然后重新签名。',
    },
  },
  factor_required: {
    code: 400,
    status: 200,
    reason: 'factor_required',
    text: {
      en: 'Signing in needs a second step, such as a code of your authenticator app. If this page does not ask for one, sign in at the console.',
      zh: '登录需要第二步验证（例如验证器应用中的动态码）。如果此页面未提示输入，请在控制台登录。',
    },
  },
  factor_required_by_role: {
    code: 409,
    status: 200,
    text: {
      en: 'Your role requires this second factor. Add another one first, or ask an administrator.',
      zh: '您的角色要求此第二因素，请先添加另一个，或联系管理员。',
    },
  },
  passkeys_disabled: {
    code: 409,
    status: 200,
    text: {
      en: 'Passkeys are disabled. An operator enables them with the setting `mfa.passkeyDomain`.',
      zh: '此处未启用通行密钥，运维人员可通过设置 `mfa.passkeyDomain` 启用。',
    },
  },
  password_link_wrong: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: {
      en: 'This link was used before, has expired or is incomplete. Request another one.',
      zh: '此链接已使用、已过期或不完整，请重新获取。',
    },
  },
  mail_disabled: {
    code: 409,
    status: 200,
    text: {
      en: 'This service sends no mail. Ask an administrator for a link that sets a new password.',
      zh: '此服务未启用邮件，请联系管理员获取设置新密码的链接。',
    },
  },
  password_links_disabled: {
    code: 409,
    status: 200,
    text: {
      en: 'Links that set a password are disabled. An operator enables them with the setting `mail.passwordPage`.',
      zh: '此处未启用设置密码的链接，运维人员可通过设置 `mail.passwordPage` 启用。',
    },
  },
  webhook_url_refused: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'Events are not sent there. Give an `https://` URL of a public host, without a user or a fragment; an operator allows others with `webhook.allowedNetworks` and `webhook.allowLoopback`.',
      zh: '事件不会发送到该地址。请填写公网主机的 `https://` 地址，不含用户名与片段；运维人员可通过 `webhook.allowedNetworks` 与 `webhook.allowLoopback` 允许其他地址。',
    },
  },
  provider_refused: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: {
      en: 'The sign-in with the provider was not accepted. Try again, or use another sign-in method.',
      zh: '通过该提供方的登录未被接受，请重新开始或换用其他方式登录。',
    },
  },
  provider_link_missing: {
    code: 400,
    status: 200,
    reason: 'credentials_wrong',
    text: {
      en: 'Your account of the provider is not linked to an account of this service. Sign in with your password and link it on your own page, or ask an administrator for an invitation.',
      zh: '该提供方账号尚未与此处的用户关联。请用密码登录后在个人页面关联，或向管理员索取邀请码。',
    },
  },
  provider_login_required: {
    code: 409,
    status: 200,
    text: {
      en: 'This account must sign in with its provider. An administrator can give it a password of this service.',
      zh: '此账号必须通过身份提供方登录，管理员可为其设置本服务的密码。',
    },
  },
  provider_unknown: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'The provider does not exist or is disabled. Reload the page and choose another sign-in method.',
      zh: '没有此提供方或其未启用，请刷新页面并选择其他登录方式。',
    },
  },
  provider_unavailable: {
    code: 503,
    status: 503,
    reason: 'unavailable',
    text: {
      en: 'The provider does not answer. Try again shortly, or sign in with your password.',
      zh: '提供方暂无响应，请稍后重试或使用密码登录。',
    },
  },
  logout_token_wrong: {
    code: 400,
    status: 400,
    text: {
      en: 'This is not a logout token of this provider for this service, or it was used before.',
      zh: '这不是该提供方发给本服务的登出令牌，或已被使用。',
    },
  },
  provider_check_failed: {
    code: 409,
    status: 200,
    text: {
      en: 'The provider does not pass its check, so people could not sign in with it. Run the check, correct the problems, and enable the provider again.',
      zh: '提供方未通过检查，无法用于登录。请运行检查，修正问题后再启用。',
    },
  },
  provider_secret_missing: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'These settings would send the stored secret to another address. Send the secret together with the settings. The provider is then disabled until it is enabled again.',
      zh: '使用这些设置，已保存的密钥将发送到其他地址。请同时提交密钥。提供方随后会被停用，需重新启用。',
    },
  },
  provider_settings_wrong: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'These settings do not fit the kind of provider: addresses begin with https://, without a query or a user, OAuth 2 needs all its addresses, the field of the subject and, where it has one, the tenant, and a provider that creates accounts needs their role and department.',
      zh: '这些设置不适用于该类提供方：地址须以 https:// 开头且不含查询参数或用户信息，OAuth 2 须给出全部地址、主体位置以及租户（如有），自动创建用户时须指定角色和部门。',
    },
  },
  service_account_keys_disabled: {
    code: 409,
    status: 200,
    text: {
      en: 'Keys of service accounts are disabled. An operator enables them with the setting `serviceAccount.audience`.',
      zh: '此处未启用服务账号密钥，运维人员可通过设置 `serviceAccount.audience` 启用。',
    },
  },
  account_kind_wrong: {
    code: 409,
    status: 200,
    text: {
      en: 'Only service accounts have keys, and a service account logs in only with its keys.',
      zh: '服务账号只能用密钥登录，且只有服务账号可以有密钥。',
    },
  },
  conflict: {
    code: 409,
    status: 200,
    text: {
      en: 'This conflicts with what is stored. Reload and try again.',
      zh: '与现有数据冲突，请刷新后重试。',
    },
  },
  plan_changed: {
    code: 409,
    status: 200,
    text: {
      en: 'This would make other changes than the plan showed, because the directory, the accounts or the mappings have changed. Review the new plan, then apply it.',
      zh: '实际变更与所展示的不一致：目录、账号或映射已有变化。请重新查看计划后再应用。',
    },
  },
  revision_conflict: {
    code: 409,
    status: 200,
    text: {
      en: 'This record was changed after you read it. Review the current values, then repeat your change.',
      zh: '在您读取之后已有他人作出修改，请查看现有内容后再决定。',
    },
  },
  already_allowed: {
    code: 409,
    status: 200,
    text: {
      en: 'The role already has this permission.',
      zh: '该角色已有此权限，无需申请或授予。',
    },
  },
  route_unknown: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'No endpoint is known with this method and path. Check both, or ask an administrator to import the service.',
      zh: '没有此方法和路径的端点，请检查，或请管理员导入该服务。',
    },
  },
  access_request_limit: {
    code: 409,
    status: 200,
    text: {
      en: 'You have ten open requests. Withdraw one, or wait for a decision.',
      zh: '您已有十个待处理的申请，请撤回一个或等待处理。',
    },
  },
  already_decided: {
    code: 409,
    status: 200,
    text: {
      en: 'This request is no longer open: it was approved, denied or withdrawn.',
      zh: '此申请已被批准、拒绝或撤回。',
    },
  },
  requester_disabled: {
    code: 409,
    status: 200,
    text: {
      en: 'The requester or the role is disabled, so a rule would have no effect. Enable both first, or deny the request.',
      zh: '申请人或其角色已停用，授予规则没有作用。请先启用，或拒绝此申请。',
    },
  },
  name_unclear: {
    code: 400,
    status: 200,
    reason: 'params_invalid',
    text: {
      en: 'This name can be taken for another one. Use letters of one script, and no name that looks like that of the administrator.',
      zh: '该名称容易与其他名称混淆。请只使用同一种文字的字母，且不要与管理员名称相似。',
    },
  },
  record_not_found: {
    code: 404,
    status: 200,
    text: { en: 'There is no such record.', zh: '记录不存在。' },
  },
  route_not_found: {
    code: 404,
    status: 404,
    text: { en: 'There is no such address.', zh: '地址不存在。' },
  },
  not_http: {
    code: 400,
    status: 400,
    text: { en: 'This is not a request that the service can read.', zh: '无法识别的请求。' },
  },
  body_too_large: {
    code: 413,
    status: 413,
    text: { en: 'The body is too large.', zh: '请求体过大。' },
  },
  content_type_wrong: {
    code: 415,
    status: 415,
    text: { en: 'Send the body as application/json.', zh: '请求体必须为 application/json。' },
  },
  internal: {
    code: 500,
    status: 500,
    text: { en: 'Something went wrong on our side.', zh: '服务器内部错误。' },
  },
  unavailable: {
    code: 503,
    status: 503,
    reason: 'unavailable',
    text: { en: 'The service cannot answer right now. Try again shortly.', zh: '服务暂不可用，请稍后重试。' },
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorKind = keyof typeof errorTable;
