import { defineTexts } from '../../language/language.ts';

const people = (count: number) => (count === 1 ? 'one user' : `${count} users`);

export const bulkTexts = defineTexts({
  en: {
    region: 'What is selected',
    select: (username: string) => `Select ${username}`,
    all: 'Select all that are shown',
    selected: (count: number) => `${count} selected`,
    hint: 'Hold Shift to select a range.',
    clear: 'Clear selection',
    actions: { disable: 'Disable', endSessions: 'End sessions' },
    disable: {
      title: (count: number) => `Disable ${people(count)}?`,
      text: 'Their sessions end on every instance, and nobody can sign in as them until you enable them again.',
      confirm: (count: number) => `Disable ${people(count)}`,
      done: (count: number) => (count === 1 ? 'One user is disabled.' : `${count} users are disabled.`),
    },
    endSessions: {
      title: (count: number) => `End all sessions of ${people(count)}?`,
      text: 'They are signed out on every instance, and can sign in again.',
      confirm: (count: number) => `End sessions of ${people(count)}`,
      done: (count: number) => `The sessions of ${people(count)} have ended.`,
    },
    spared: (count: number) =>
      count === 1
        ? 'One is disabled already and is left as it is.'
        : `${count} are disabled already and are left as they are.`,
    progress: (done: number, all: number) => `${done} of ${all}`,
    failed: (count: number) => (count === 1 ? 'One could not be done:' : `${count} could not be done:`),
    left: (count: number) => (count === 1 ? 'For one nothing was tried.' : `For ${count} nothing was tried.`),
    again: (count: number) => (count === 1 ? 'Try the other one' : `Try the other ${count}`),
    stopped: (done: number, all: number) => `Stopped: ${done} of ${all} are done.`,
    stop: 'Stop',
    cancel: 'Cancel',
    close: 'Close',
  },
  zh: {
    region: '已选内容',
    select: (username) => `选择 ${username}`,
    all: '选择所有显示的用户',
    selected: (count) => `已选 ${count} 个`,
    hint: '按住 Shift 可选择一段。',
    clear: '清除选择',
    actions: { disable: '停用', endSessions: '结束会话' },
    disable: {
      title: (count) => `停用 ${count} 个用户？`,
      text: '他们在所有实例上的会话都会结束；重新启用之前，他们无法登录。',
      confirm: (count) => `停用 ${count} 个用户`,
      done: (count) => `已停用 ${count} 个用户。`,
    },
    endSessions: {
      title: (count) => `结束 ${count} 个用户的全部会话？`,
      text: '他们在所有实例上都会退出登录，之后可以重新登录。',
      confirm: (count) => `结束 ${count} 个用户的会话`,
      done: (count) => `已结束 ${count} 个用户的会话。`,
    },
    spared: (count) => `其中 ${count} 个已停用，保持不变。`,
    progress: (done, all) => `${done} / ${all}`,
    failed: (count) => `${count} 个未能完成：`,
    left: (count) => `${count} 个尚未尝试。`,
    again: (count) => `重试其余 ${count} 个`,
    stopped: (done, all) => `已停止：完成 ${done} / ${all}。`,
    stop: '停止',
    cancel: '取消',
    close: '关闭',
  },
});
