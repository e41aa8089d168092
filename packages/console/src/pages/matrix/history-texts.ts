import { defineTexts } from '../../language/language.ts';

export const historyTexts = defineTexts({
  en: {
    title: (role: string) => `History of ${role}`,
    text: 'Every change of its rules, newest first. Going back is a change of its own, and can be taken back too.',
    loading: 'Loading the history',
    none: 'No change recorded yet',
    noneText: 'When somebody adds or removes a rule of this role, it is listed here.',
    by: (name: string) => `by ${name}`,
    now: 'Now in force',
    rolledBack: 'Rolled back',
    added: (n: number) => `${n} added`,
    removed: (n: number) => `${n} removed`,
    backToThis: 'Back to this',
    beforeAll: 'Before the first recorded change',
    showMore: 'Show more',
    confirmTitle: 'Go back to these rules?',
    confirmText: (role: string) =>
      `The rules of ${role} become what they were then. Changes made since are taken back; the history keeps them. A draft for this role is kept where it still makes sense.`,
    confirm: 'Go back',
    done: 'Rolled back',
  },
  zh: {
    title: (role) => `${role} 的历史`,
    text: '该角色规则的全部变更，最新的在前。回滚本身也是一次变更，同样可以撤回。',
    loading: '正在加载历史',
    none: '还没有变更记录',
    noneText: '有人新增或移除该角色的规则后，会显示在这里。',
    by: (name) => `操作人 ${name}`,
    now: '当前生效',
    rolledBack: '回滚',
    added: (n) => `新增 ${n} 条`,
    removed: (n) => `移除 ${n} 条`,
    backToThis: '回到此处',
    beforeAll: '第一次变更之前',
    showMore: '显示更多',
    confirmTitle: '回到这时的规则？',
    confirmText: (role) =>
      `${role} 的规则将恢复为当时的内容，此后的修改会被撤回，历史记录保留。该角色的草稿中仍然适用的部分会保留。`,
    confirm: '回滚',
    done: '已回滚',
  },
});
