import { defineTexts } from '../../language/language.ts';

export const texts = defineTexts({
  en: {
    title: 'Sign in',
    ended: 'Your session has ended. Sign in to continue where you were.',
    username: 'Username',
    password: 'Password',
    captcha: 'Characters in the picture',
    picture: 'Captcha. If you cannot read it, ask for another one.',
    another: 'Another picture',
    submit: 'Sign in',
    passkey: 'Sign in with a passkey',
    captchaFirst: 'Type the characters in the picture first.',
    provider: (name: string) => `Sign in with ${name}`,
    invited: 'I have an invitation',
    invitation: 'Invitation',
    invitationHint:
      'The code that an administrator gave you. Type it, then sign in with your company account.',
    forgot: 'Forgot your password?',
  },
  zh: {
    title: '登录',
    ended: '会话已结束。请重新登录，登录后将回到原页面。',
    username: '用户名',
    password: '密码',
    captcha: '图中字符',
    picture: '验证码图片。看不清可换一张。',
    another: '换一张',
    submit: '登录',
    passkey: '使用通行密钥登录',
    captchaFirst: '请先输入图中字符。',
    provider: (name) => `使用 ${name} 登录`,
    invited: '我有邀请码',
    invitation: '邀请码',
    invitationHint: '管理员给您的代码。输入后再用企业账号登录。',
    forgot: '忘记密码？',
  },
});
