import { defineTexts } from '../language/language.ts';

export const texts = defineTexts({
  en: {
    card: 'Company accounts',
    none: 'You have linked none. With one you sign in through your company, without this password.',
    link: (name: string) => `Link ${name}`,
    linkTitle: (name: string) => `Link your account at ${name}`,
    linkText:
      'You go to the provider, sign in there, and come back. From then on that account lets you in here.',
    goOn: 'Continue',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove the link to ${name}?`,
    removeText: 'You no longer sign in through it. Sessions that began there end, this one too if it did.',
    removed: 'The link is removed.',
    linked: 'Your account is linked.',
    added: 'Linked',
    used: 'last used',
    never: 'never',
  },
  zh: {
    card: '企业账号',
    none: '尚未关联。关联后可通过企业账号登录，无需输入此密码。',
    link: (name) => `关联 ${name}`,
    linkTitle: (name) => `关联您在 ${name} 的账号`,
    linkText: '您将前往提供方登录并返回。此后可用该账号在此登录。',
    goOn: '继续',
    remove: '移除',
    removeTitle: (name) => `移除与 ${name} 的关联？`,
    removeText: '此后不能再通过它登录。由它建立的会话将结束，包括当前会话（如果是）。',
    removed: '关联已移除。',
    linked: '账号已关联。',
    added: '关联于',
    used: '最近使用',
    never: '从未',
  },
});
