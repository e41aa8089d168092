// Why a new password is refused, as the caller is told: each reason that applies, and the minimum length.
import type { Text } from '@portcullis/contract';

export type PasswordWeakness = 'too_short' | 'too_long' | 'unreadable' | 'common' | 'close_to_name' | 'same';

export const maximumLength = 256;

const reasons: Readonly<Record<PasswordWeakness, Text>> = {
  too_short: { en: 'too short', zh: '过短' },
  too_long: {
    en: `longer than ${maximumLength} characters`,
    zh: `超过 ${maximumLength} 个字符`,
  },
  unreadable: { en: 'no readable text', zh: '含有无法读取的字符' },
  common: { en: 'too common', zh: '过于常见' },
  close_to_name: { en: 'too close to a name', zh: '与名称过于相近' },
  same: { en: 'the same as the current one', zh: '与当前密码相同' },
};

/** @example describeWeaknesses(['too_short', 'common'], 15).en // 'This password is too short and too common. Choose ...' */
export function describeWeaknesses(found: readonly PasswordWeakness[], minimumLength: number): Text {
  const en = new Intl.ListFormat('en').format(found.map((weakness) => reasons[weakness].en));
  const zh = found.map((weakness) => reasons[weakness].zh).join('、');
  return {
    en: `This password is ${en}. Choose one of at least ${minimumLength} characters, such as several unrelated words.`,
    zh: `密码${zh}。请换用至少 ${minimumLength} 个字符的密码，例如几个互不相关的词。`,
  };
}
