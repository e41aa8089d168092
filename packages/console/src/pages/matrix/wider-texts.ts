import { defineTexts } from '../../language/language.ts';

export const widerTexts = defineTexts({
  en: {
    title: (role: string) => `${role}: allowed by a wider rule`,
    titleOfRoles: (n: number) => `${n} roles: allowed by wider rules`,
    text: (rule: string) => `${rule} has no rule of its own. What you choose goes into the draft.`,
    textOfMany:
      'Some of these endpoints are allowed by rules that cover more. What you choose goes into the draft, as one step.',
    tooMany: (n: number) => `Choose ${n} roles or fewer to take away what wider rules allow.`,
    loading: 'Looking for the rules',
    allowedBy: 'Allowed by',
    allowedByOf: (role: string) => `${role}, allowed by`,
    gone: 'No rule allows all of it any more. Close this, and the matrix follows in a moment.',
    unknownToo: 'What the rule allows beyond the known endpoints is lost with it.',
    remove: (rules: number, lost: number) =>
      `Remove the ${rules === 1 ? 'rule' : `${rules} rules`} (loses ${lost} ${lost === 1 ? 'endpoint' : 'endpoints'})`,
    replace: (n: number) => `Replace it by the other ${n}`,
    replaceAll: (n: number) => `Replace them by the other ${n}`,
    onlyOwn: (n: number) => `Remove only the ${n === 1 ? 'own rule' : `${n} own rules`}`,
    keep: 'Keep',
  },
  zh: {
    title: (role) => `${role}：由范围更大的规则允许`,
    titleOfRoles: (n) => `${n} 个角色：由范围更大的规则允许`,
    text: (rule) => `${rule} 没有自己的规则。您的选择会记入草稿。`,
    textOfMany: '其中一些接口由范围更大的规则允许。您的选择会作为一步记入草稿。',
    tooMany: (n) => `要移除更大范围的规则，请选择不超过 ${n} 个角色。`,
    loading: '正在查找规则',
    allowedBy: '允许的规则',
    allowedByOf: (role) => `${role} 的允许规则`,
    gone: '已没有规则允许其全部路径。请关闭此窗口，矩阵随即更新。',
    unknownToo: '规则允许的其他未知接口也会一并失去。',
    remove: (rules, lost) => `移除${rules === 1 ? '该规则' : `这 ${rules} 条规则`}（失去 ${lost} 个接口）`,
    replace: (n) => `替换为其余 ${n} 个接口的规则`,
    replaceAll: (n) => `全部替换为其余 ${n} 个接口的规则`,
    onlyOwn: (n) => `只移除 ${n} 条自有规则`,
    keep: '保留',
  },
});
