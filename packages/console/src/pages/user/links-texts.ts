import { defineTexts } from '../../language/language.ts';

export const linksTexts = defineTexts({
  en: {
    links: 'Company accounts',
    none: 'None is linked. The user signs in here alone.',
    remove: 'Remove',
    removeTitle: (username: string, provider: string) => `Remove the link of ${username} to ${provider}?`,
    removeText:
      'The sessions that began there end at once. A password here still works. Where this was the link to a directory, or the user has no password here, the user cannot sign in until you reset the password.',
    removed: 'The link is removed, and its sessions have ended.',
    invite: (provider: string) => `Invite to ${provider}`,
    invitationTitle: (username: string) => `Invitation of ${username}`,
    invitationText:
      'Hand it over in person or by telephone. It is shown only now, and links the account with which it is first used.',
    until: 'Good until',
    done: 'Done',
    loading: 'Loading',
  },
  zh: {
    links: '企业账号',
    none: '尚未关联。该用户仅在此处登录。',
    remove: '移除',
    removeTitle: (username, provider) => `移除 ${username} 与 ${provider} 的关联？`,
    removeText:
      '操作返回前，由其建立的会话都会结束。此处的密码仍可使用。若移除的是目录关联，或用户在此没有密码，则在您重置密码之前，该用户无法登录。',
    removed: '关联已移除，相应会话已结束。',
    invite: (provider) => `邀请关联 ${provider}`,
    invitationTitle: (username) => `${username} 的邀请码`,
    invitationText: '请当面或通过电话告知。邀请码仅显示这一次，首次使用时所登录的账号将被关联。',
    until: '有效期至',
    done: '完成',
    loading: '加载中',
  },
});
