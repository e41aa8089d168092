// The texts of mails, in English and Chinese. A subject contains no text that a user chose; names appear only in the body.
import type { Language, MailKind } from '@portcullis/contract';

export interface MailWords {
  readonly subject: string;
  /** Paragraphs; names in braces are placeholders. */
  readonly before: readonly string[];
  /** The text of the link, if the mail has one. */
  readonly link?: string;
  readonly after: readonly string[];
}

export const greetings: Readonly<Record<Language, string>> = { en: 'Hello {name},', zh: '{name}，您好：' };

export const mailTexts: Readonly<Record<Language, Readonly<Record<MailKind, MailWords>>>> = {
  en: {
    invitation: {
      subject: 'Your new account',
      before: ['An account was made for you. Your username is {username}. Choose a password here:'],
      link: 'Choose a password',
      after: [
        'The link works once, until {until} (UTC). It does not sign you in: do that with your username and the new password.',
        'If you did not expect this, do nothing.',
      ],
    },
    password_reset: {
      subject: 'Set a new password',
      before: ['A new password was asked for. Your username is {username}. Set the password here:'],
      link: 'Set a new password',
      after: [
        'The link works once, until {until} (UTC), and ends all your sessions. It does not sign you in, and a second factor stays in force.',
        'If you did not ask for it, do nothing: your password stays as it is.',
      ],
    },
    new_device: {
      subject: 'New sign-in to your account',
      before: [
        'Your account {username} was signed in to from a browser or program that was not seen before, at {at} (UTC).{origin}',
      ],
      after: [
        'If this was not you, change your password at once, which ends all sessions, and tell your administrator.',
      ],
    },
    password_changed: {
      subject: 'Your password was changed',
      before: [
        'The password of your account {username} was changed at {at} (UTC), and all its sessions have ended.',
      ],
      after: ['If this was not you, tell your administrator at once.'],
    },
    factor_removed: {
      subject: 'A way to sign in was removed',
      before: ['{factor} of your account {username} was removed or replaced at {at} (UTC).'],
      after: ['If this was not you, tell your administrator at once.'],
    },
  },
  zh: {
    invitation: {
      subject: '您的新账号',
      before: ['已为您创建账号，用户名为 {username}。请在此设置密码：'],
      link: '设置密码',
      after: [
        '此链接仅可使用一次，有效期至 {until}（UTC）。它不会让您直接登录，请用用户名和新密码登录。',
        '如果您不知情，请忽略此邮件。',
      ],
    },
    password_reset: {
      subject: '设置新密码',
      before: ['有人请求为您的账号设置新密码，用户名为 {username}。请在此设置：'],
      link: '设置新密码',
      after: [
        '此链接仅可使用一次，有效期至 {until}（UTC），使用后您的所有会话都将结束。它不会让您直接登录，第二重验证仍然有效。',
        '如果不是您本人请求，请忽略此邮件，密码不会改变。',
      ],
    },
    new_device: {
      subject: '您的账号有新的登录',
      before: ['您的账号 {username} 于 {at}（UTC）在未曾使用过的浏览器或程序上登录。{origin}'],
      after: ['如果不是您本人，请立即修改密码（所有会话将随之结束），并联系管理员。'],
    },
    password_changed: {
      subject: '您的密码已修改',
      before: ['您的账号 {username} 的密码已于 {at}（UTC）修改，所有会话均已结束。'],
      after: ['如果不是您本人，请立即联系管理员。'],
    },
    factor_removed: {
      subject: '一种登录方式已移除',
      before: ['您的账号 {username} 的{factor}已于 {at}（UTC）移除或更换。'],
      after: ['如果不是您本人，请立即联系管理员。'],
    },
  },
};

export const factorNames: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: { totp: 'The authenticator app', passkey: 'A passkey' },
  zh: { totp: '验证器应用', passkey: '通行密钥' },
};

export const otherFactor: Readonly<Record<Language, string>> = { en: 'A way to sign in', zh: '一种登录方式' };

export const origins: Readonly<Record<Language, string>> = {
  en: ' Address: {ip}. Browser or program: {agent}.',
  zh: '地址：{ip}；浏览器或程序：{agent}。',
};
