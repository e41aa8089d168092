import { defineTexts } from '../../language/language.ts';

export const reportTexts = defineTexts({
  en: {
    unmatched: 'Rules that match no endpoint',
    unmatchedText:
      'They allow nothing that is known. Usually the path has a typing mistake, or the endpoint is gone: remove the rule. Where the endpoint exists and is not listed, import its service.',
    noUnmatched: 'Every rule matches an endpoint.',
    adminOnly: 'Endpoints that only admin can call',
    adminOnlyText:
      'No enabled role has a rule for them. That can be what you want. Where it is not, give a role a rule in the access matrix.',
    noAdminOnly: 'Every endpoint can be called by a role.',
    partial: 'There was too much to compare, so these lists may be too long.',
    listed: (listed: number, all: number) => `The first ${listed} of ${all} are listed.`,
    more: 'Show more',
    role: 'Role',
    similar: 'Did you mean:',
    remove: 'Remove rule',
    removeTitle: 'Remove this rule?',
    removeText: (rule: string, role: string) => `${role} loses ${rule}.`,
    removed: 'The rule is removed.',
    inMatrix: 'Open in the matrix',
  },
  zh: {
    unmatched: '没有匹配任何接口的规则',
    unmatchedText:
      '这些规则没有放行任何已知接口。通常是路径写错，或接口已下线：请删除规则。如果接口存在但未列出，请导入所属服务。',
    noUnmatched: '每条规则都有匹配的接口。',
    adminOnly: '仅 admin 可调用的接口',
    adminOnlyText:
      '没有任何已启用的角色拥有这些接口的规则。这可能正是您想要的；如果不是，请在权限矩阵中为角色添加规则。',
    noAdminOnly: '每个接口都有角色可以调用。',
    partial: '数据过多，比较未能完成，列表中可能有多余的项。',
    listed: (listed, all) => `共 ${all} 项，仅列出前 ${listed} 项。`,
    more: '显示更多',
    role: '角色',
    similar: '是否应为：',
    remove: '删除规则',
    removeTitle: '删除这条规则？',
    removeText: (rule, role) => `角色 ${role} 将失去规则 ${rule}。`,
    removed: '规则已删除。',
    inMatrix: '在矩阵中打开',
  },
});
