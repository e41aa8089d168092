import { defineTexts } from '../../language/language.ts';

export const waysTexts = defineTexts({
  en: {
    factors: 'Second factors',
    none: 'None. The user signs in with the password alone.',
    noneDemanded:
      'None. The user sets one up at the next sign-in, with a code from an administrator where one was taken away before.',
    left: (n: number) => (n === 1 ? '1 recovery code left' : `${n} recovery codes left`),
    take: 'Take away',
    newCode: 'New enrolment code',
    takeTitle: (username: string) => `Take away the second factors of ${username}?`,
    newCodeTitle: (username: string) => `Give ${username} a new enrolment code?`,
    takeText:
      'For somebody who lost the telephone. The authenticator app and the recovery codes stop working, and all sessions end before this returns. Make sure first that it is really this person who asks.',
    thenCode:
      'You then see a code, once. With the password and this code the user sets up a new app within 24 hours.',
    thenPassword: 'The role requires no second factor: from then on the password alone lets the user in.',
    codeTitle: (username: string) => `Enrolment code of ${username}`,
    codeText:
      'Hand it over in person or by telephone. It is shown only now, and sets up one second factor on the way in, together with the password.',
    codeUntil: 'Good until',
    codeUnneeded: 'While the role requires no second factor, the code is not needed.',
    still: 'It cannot be shown again. Copy it first, then close.',
    done: 'Done',
    loading: 'Loading',
  },
  zh: {
    factors: '两步验证',
    none: '未设置。该用户仅凭密码登录。',
    noneDemanded: '未设置。用户将在下次登录时设置；如曾被收回，还需管理员提供的绑定码。',
    left: (n) => `剩余 ${n} 个恢复码`,
    take: '收回',
    newCode: '生成新绑定码',
    takeTitle: (username) => `收回 ${username} 的两步验证？`,
    newCodeTitle: (username) => `为 ${username} 生成新的绑定码？`,
    takeText:
      '用于用户丢失手机等情况。验证器应用和恢复码将失效，操作返回前其所有会话都会结束。请先确认提出请求的确为本人。',
    thenCode: '随后会显示一次绑定码。用户可在 24 小时内凭密码和该码设置新的应用。',
    thenPassword: '该角色不要求两步验证：此后该用户仅凭密码即可登录。',
    codeTitle: (username) => `${username} 的绑定码`,
    codeText: '请当面或通过电话告知。绑定码仅显示这一次，用户登录时凭密码和该码可设置一项两步验证。',
    codeUntil: '有效期至',
    codeUnneeded: '只要该角色不要求两步验证，登录时就不会用到它。',
    still: '绑定码不会再次显示，请先复制再关闭。',
    done: '完成',
    loading: '加载中',
  },
});
