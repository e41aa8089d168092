import { defineTexts } from '../../language/language.ts';

export const exclusionTexts = defineTexts({
  en: {
    lead: 'Endpoints on the exclusion list skip the permission check: whoever is signed in may call them.',
    settings:
      'It can only be read here. To change it, edit permission.exclusions in the settings and restart.',
    uses: (count: string) => `${count} uses in 30 days`,
    noUse: 'Not used in 30 days',
    noUseText: 'Perhaps it need not be on the list.',
    days: (count: number, day: string, most: number) =>
      `${count} uses in the last 30 days, ${most} on the busiest day, ${day}`,
    onDay: (day: string, count: number) => `${day}: ${count}`,
    public: 'Public anyway',
    publicText: 'There is no check to skip, so nothing is counted.',
    empty: 'The exclusion list is empty',
    emptyText: 'Every endpoint that asks for a permission needs a rule.',
  },
  zh: {
    lead: '排除名单中的接口跳过权限检查：只要登录就可以调用。',
    settings: '此处仅供查看。如需修改，请编辑配置中的 permission.exclusions 并重启。',
    uses: (count) => `30 天内使用 ${count} 次`,
    noUse: '30 天内未使用',
    noUseText: '也许不必留在名单中。',
    days: (count, day, most) => `最近 30 天共使用 ${count} 次，${day} 最多，为 ${most} 次`,
    onDay: (day, count) => `${day}：${count} 次`,
    public: '本来就公开',
    publicText: '没有可跳过的检查，因此不计数。',
    empty: '排除名单为空',
    emptyText: '所有需要权限的接口都必须有规则。',
  },
});
