import { defineTexts } from '../../language/language.ts';

const count = (n: number, one: string, many: string) =>
  n === 1 ? `1 ${one}` : `${n.toLocaleString('en')} ${many}`;
const most = 10_000;

export const factorTexts = defineTexts({
  en: {
    title: 'What a sign-in must prove',
    text: 'Whoever has this role gets in with no less.',
    levels: {
      1: {
        name: 'One factor',
        text: 'The password. Those who set up a second factor are asked for it all the same.',
      },
      2: { name: 'A second factor', text: 'Also a code of an authenticator app, or a recovery code.' },
      3: { name: 'A passkey', text: 'Cannot be given away to a false site.' },
    },
    noPasskeys: 'Passkeys are not set up here.',
    counting: 'Counting whom it meets',
    ends: (n: number) =>
      n === 0
        ? 'No session ends.'
        : `${n >= most ? 'At least ' : ''}${count(n, 'session ends', 'sessions end')} before this returns.`,
    mustSetUp: (n: number) =>
      n === 0
        ? 'Everybody has what it takes.'
        : `${n >= most ? 'At least ' : ''}${count(n, 'person has', 'people have')} to set something up at the next sign-in.`,
    who: 'Who has no second factor',
    unknown: 'Your data scope does not let you see whom it meets. Weaker sessions end before this returns.',
    lower: 'No session ends. From then on less is enough to get in.',
    own: 'This is your own role: your session ends too if it proves less, and you sign in again with a second factor.',
    admin:
      'This is the role of the administrators. Have your telephone at hand: whoever has nothing set up yet does it at the next sign-in.',
    apply: 'Apply',
    cancel: 'Cancel',
    waiting: 'Waiting until every instance enforces it',
    applied: 'In force on every instance.',
    appliedOwn: 'In force on every instance. Your own session has ended with it: sign in again.',
  },
  zh: {
    title: '登录要求',
    text: '拥有该角色的人须至少满足此要求才能登录。',
    levels: {
      1: { name: '单一验证', text: '密码。已自行设置两步验证的人仍会被要求验证。' },
      2: { name: '两步验证', text: '另需验证器应用的动态码或恢复码。' },
      3: { name: '通行密钥', text: '无法被仿冒网站骗取。' },
    },
    noPasskeys: '此处尚未启用通行密钥。',
    counting: '正在统计受影响的人',
    ends: (n) =>
      n === 0 ? '不会结束任何会话。' : `操作返回前将结束${n >= most ? '至少' : ''} ${n} 个会话。`,
    mustSetUp: (n) =>
      n === 0 ? '所有人都已满足要求。' : `${n >= most ? '至少' : '有'} ${n} 人须在下次登录时进行设置。`,
    who: '查看未设置两步验证的人',
    unknown: '您的数据范围不允许查看受影响的人。操作返回前，不满足要求的会话都会结束。',
    lower: '不会结束任何会话。此后登录要求降低。',
    own: '这是您自己的角色：如果您的会话不满足要求，它也会结束，您须通过两步验证重新登录。',
    admin: '这是管理员角色。请备好手机：尚未设置的人须在下次登录时设置。',
    apply: '应用',
    cancel: '取消',
    waiting: '正在等待所有实例生效',
    applied: '已在所有实例生效。',
    appliedOwn: '已在所有实例生效。您自己的会话随之结束，请重新登录。',
  },
});
