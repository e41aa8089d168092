import { defineTexts } from '../../language/language.ts';

export const secondStepTexts = defineTexts({
  en: {
    title: 'Second step',
    submit: 'Sign in',
    goOn: 'Continue',
    back: 'Back to username and password',
    useRecovery: 'Use a recovery code',
    useApp: 'Use the authenticator app',
    recovery: 'Recovery code',
    recoveryHint: 'One of those that you kept when you set the app up. Each is good once.',
    enrol: 'Set up a second factor',
    enrolText: 'Your role demands a second factor, and you have none yet.',
    enrolmentCode: 'Code from an administrator',
    enrolmentText:
      'Your second factor was taken away. An administrator can give you a code that lets you set up a new one.',
    enrolmentHint: '16 letters and digits, good for 24 hours.',
    starting: 'Preparing a new key',
    retry: 'Try again',
    nothing: 'You cannot go on by yourself',
    nothingText:
      'Your role demands more than you have set up, and it cannot be set up here. Ask an administrator.',
    ended:
      'This sign-in is over: it took too long, or there were too many wrong codes. Sign in again from the start.',
    kept: 'I have kept them, continue',
  },
  zh: {
    title: '第二步验证',
    submit: '登录',
    goOn: '继续',
    back: '返回用户名和密码',
    useRecovery: '使用恢复码',
    useApp: '使用验证器应用',
    recovery: '恢复码',
    recoveryHint: '设置应用时保存的恢复码之一，每个只能使用一次。',
    enrol: '设置两步验证',
    enrolText: '您的角色要求两步验证，而您尚未设置。',
    enrolmentCode: '管理员提供的绑定码',
    enrolmentText: '您的两步验证已被收回。请向管理员索取绑定码，以重新设置。',
    enrolmentHint: '16 个字母和数字，24 小时内有效。',
    starting: '正在生成新密钥',
    retry: '重试',
    nothing: '您无法自行继续',
    nothingText: '您的角色要求的验证方式您尚未设置，且无法在此设置。请联系管理员。',
    ended: '本次登录已失效：用时过长，或错误次数过多。请重新登录。',
    kept: '我已保存，继续',
  },
});
