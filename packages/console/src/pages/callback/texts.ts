import { defineTexts } from '../../language/language.ts';

export const texts = defineTexts({
  en: {
    title: 'Company account',
    waiting: 'Signing you in',
    notBegun: 'This sign-in was not begun in this window, or is over already. Begin it again.',
    stopped: 'The sign-in was stopped. Begin it again.',
    toSignIn: 'To the sign-in page',
    toWays: 'To your sign-in methods',
  },
  zh: {
    title: '企业账号',
    waiting: '正在登录',
    notBegun: '此登录不是在本窗口中开始的，或已结束。请重新开始。',
    stopped: '登录已停止，请重新开始。',
    toSignIn: '前往登录页',
    toWays: '前往登录方式',
  },
});
