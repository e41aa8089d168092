import { defineTexts } from '../../language/language.ts';

export const temporaryTexts = defineTexts({
  en: {
    title: 'For a while',
    text: 'Rules that end by themselves, everywhere and at the second. Whoever has one cannot pass it on for good.',
    none: 'No rule of this role ends by itself.',
    until: 'until',
    givenBy: (name: string) => `given by ${name}`,
    rule: 'Give a rule for a while',
    hint: 'The narrowest one that does: DELETE /api/v1/orders/1042 allows that one order.',
    howLong: 'For how long',
    durations: { '3600': '1 hour', '28800': '8 hours', '86400': '1 day', '604800': '1 week' },
    give: 'Give',
    given: 'The rule is given. It ends by itself.',
    removed: 'The rule is gone, everywhere.',
  },
  zh: {
    title: '限时规则',
    text: '到期后在所有实例上自动失效，精确到秒。持有者不能把它永久授予他人。',
    none: '该角色没有限时规则。',
    until: '有效期至',
    givenBy: (name) => `由 ${name} 授予`,
    rule: '添加限时规则',
    hint: '请尽量收窄：DELETE /api/v1/orders/1042 只允许这一个订单。',
    howLong: '有效时长',
    durations: { '3600': '1 小时', '28800': '8 小时', '86400': '1 天', '604800': '1 周' },
    give: '授予',
    given: '规则已授予，到期自动失效。',
    removed: '规则已在所有实例上移除。',
  },
});
