import { defineTexts } from '../../language/language.ts';

export const timedTexts = defineTexts({
  en: {
    title: (role: string) => `${role}: allowed for a while`,
    text: (rule: string) => `${rule} is allowed by a rule that ends by itself.`,
    until: 'until',
    forGood: 'Draft a rule without an end',
    sooner: 'To end it sooner, take the rule away on the page of the role:',
    openRole: 'rules for a while',
    keep: 'Leave it as it is',
  },
  zh: {
    title: (role) => `${role}：限时允许`,
    text: (rule) => `${rule} 由到期自动失效的规则允许。`,
    until: '有效期至',
    forGood: '起草一条长期规则',
    sooner: '要提前结束，请在角色页面移除：',
    openRole: '限时规则',
    keep: '保持不变',
  },
});
