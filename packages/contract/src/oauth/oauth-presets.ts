// Presets for services that speak OAuth 2 in their own way, from their public documents. None was tried against the real service.

export const oauthPresetNames = ['github', 'feishu', 'dingtalk', 'wecom'] as const;
export type OAuthPresetName = (typeof oauthPresetNames)[number];

export interface OAuthPreset {
  readonly title: string;
  /** Whether a person has signed in with the real service. */
  readonly tried: boolean;
  /** The documents that the preset was taken from. */
  readonly documents: readonly string[];
  /** Fields of `OAuthSettings`. */
  readonly settings: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly userInfoUrl: string;
    readonly scopes?: readonly string[];
    readonly subjectPath: string;
    readonly namePath?: string;
    readonly tenantPath?: string;
    readonly tenantIn?: 'user' | 'token';
    readonly statusPath?: string;
    readonly clientAuth: 'post' | 'json' | 'camelJson' | 'corp';
    readonly tokenHeader?: string;
    readonly pkce?: boolean;
    readonly codeParameter?: string;
    readonly authorizationParameters?: readonly { readonly name: string; readonly value: string }[];
  };
  /** Parameters of the authorization request that only the operator knows. */
  readonly asksParameters?: readonly string[];
}

export const oauthPresets: Readonly<Record<OAuthPresetName, OAuthPreset>> = {
  github: {
    title: 'GitHub',
    tried: false,
    documents: [
      'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
      'https://docs.github.com/en/rest/users/users#get-the-authenticated-user',
    ],
    settings: {
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      userInfoUrl: 'https://api.github.com/user',
      // A login name can be given to another person once it was given up; the id cannot.
      subjectPath: '/id',
      namePath: '/login',
      clientAuth: 'post',
    },
  },
  feishu: {
    title: 'Feishu',
    tried: false,
    documents: [
      'https://open.feishu.cn/document/authentication-management/access-token/obtain-oauth-code',
      'https://open.feishu.cn/document/authentication-management/access-token/get-user-access-token',
      'https://open.feishu.cn/document/server-docs/authentication-management/login-state-management/get',
    ],
    settings: {
      authorizationUrl: 'https://accounts.feishu.cn/open-apis/authen/v1/authorize',
      tokenUrl: 'https://open.feishu.cn/open-apis/authen/v2/oauth/token',
      userInfoUrl: 'https://open.feishu.cn/open-apis/authen/v1/user_info',
      subjectPath: '/data/union_id',
      namePath: '/data/name',
      tenantPath: '/data/tenant_key',
      statusPath: '/code',
      clientAuth: 'json',
    },
  },
  dingtalk: {
    title: 'DingTalk',
    tried: false,
    documents: [
      'https://open.dingtalk.com/document/orgapp/tutorial-obtaining-user-personal-information',
      'https://open.dingtalk.com/document/orgapp/obtain-user-token',
      'https://open.dingtalk.com/document/orgapp/dingtalk-retrieve-user-information',
    ],
    settings: {
      authorizationUrl: 'https://login.dingtalk.com/oauth2/auth',
      tokenUrl: 'https://api.dingtalk.com/v1.0/oauth2/userAccessToken',
      userInfoUrl: 'https://api.dingtalk.com/v1.0/contact/users/me',
      // With `corpid`, people choose the company that they sign in for, and the token response names it.
      scopes: ['openid', 'corpid'],
      subjectPath: '/unionId',
      namePath: '/nick',
      tenantPath: '/corpId',
      tenantIn: 'token',
      clientAuth: 'camelJson',
      tokenHeader: 'x-acs-dingtalk-access-token',
      pkce: false,
      codeParameter: 'authCode',
      authorizationParameters: [{ name: 'prompt', value: 'consent' }],
    },
  },
  wecom: {
    title: 'WeCom',
    tried: false,
    documents: [
      'https://developer.work.weixin.qq.com/document/path/98152',
      'https://developer.work.weixin.qq.com/document/path/91039',
      'https://developer.work.weixin.qq.com/document/path/98176',
    ],
    settings: {
      authorizationUrl: 'https://login.work.weixin.qq.com/wwlogin/sso/login',
      tokenUrl: 'https://qyapi.weixin.qq.com/cgi-bin/gettoken',
      userInfoUrl: 'https://qyapi.weixin.qq.com/cgi-bin/auth/getuserinfo',
      // Only members of the company have it. An outsider has an `openid` instead, and is refused because this is missing.
      subjectPath: '/userid',
      namePath: '/userid',
      clientAuth: 'corp',
      pkce: false,
      authorizationParameters: [{ name: 'login_type', value: 'CorpApp' }],
    },
    asksParameters: ['agentid'],
  },
};
