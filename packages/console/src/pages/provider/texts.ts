import { defineTexts } from '../../language/language.ts';

export const texts = defineTexts({
  en: {
    toProviders: 'All providers',
    goneTitle: 'There is no such provider',
    goneText: 'It was deleted, or you may not see it.',
    kind: 'Kind',
    kinds: { oidc: 'OpenID Connect', oauth: 'OAuth 2', ldap: 'Directory (LDAP)' },
    address: 'Address',
    links: 'People linked',
    sessions: 'Live sessions',
    away: 'The provider does not answer, so nothing was changed. Under Providers, “Check” says why.',
    recheck: 'Somebody left',
    recheckText: (minutes: number) =>
      `Every ${minutes === 1 ? 'minute' : `${minutes} minutes`} everybody with a session is looked for in the directory. Who is gone, disabled or in no mapped group is signed out.`,
    recheckNow: 'Check everybody again',
    notEnabled: 'It is not enabled, so nobody is in by it.',
    waiting: 'Waiting for the directory, and until every instance enforces it',
    looked: (n: number) =>
      n === 0
        ? 'Nobody has a session by it.'
        : `${n} ${n === 1 ? 'person' : 'people'} with a session looked for. In force on every instance.`,
    found: {
      gone: 'Gone from the directory: signed out',
      disabled: 'Disabled there: signed out',
      unmapped: 'In no mapped group: signed out',
      moved: 'Other groups: another role',
    },
    ownEnded: 'Done. Your own session has ended with it: sign in again.',
  },
  zh: {
    toProviders: '全部提供方',
    goneTitle: '没有这个提供方',
    goneText: '它已被删除，或您无权查看。',
    kind: '类型',
    kinds: { oidc: 'OpenID Connect', oauth: 'OAuth 2', ldap: '目录（LDAP）' },
    address: '地址',
    links: '已关联人数',
    sessions: '在线会话',
    away: '提供方没有应答，未作任何更改。可在“身份提供方”页面用“检查”查看原因。',
    recheck: '有人离职',
    recheckText: (minutes) =>
      `每 ${minutes} 分钟会在目录中重新查找有会话的人。已不在目录、已停用或不属于任何映射组的人会被退出。`,
    recheckNow: '立即重新检查所有人',
    notEnabled: '尚未启用，没有人通过它登录。',
    waiting: '正在等待目录应答及所有实例生效',
    looked: (n) => (n === 0 ? '没有人通过它登录。' : `已查找 ${n} 位有会话的人，结果已在所有实例生效。`),
    found: {
      gone: '已不在目录中：已退出',
      disabled: '在目录中已停用：已退出',
      unmapped: '不属于任何映射组：已退出',
      moved: '所属组已变：角色已更换',
    },
    ownEnded: '已完成。您自己的会话随之结束，请重新登录。',
  },
});
