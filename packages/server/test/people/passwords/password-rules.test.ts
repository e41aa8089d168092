import { AppError } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createPasswordRules } from '../../../src/people/passwords/password-rules.ts';

const rules = createPasswordRules({ minimumLength: 15 });
const mei = { username: 'mei.lin', name: 'Mei Lin' };
const lint = (password: string, owner = mei) => rules.lint(password, owner);

describe('a new password is refused', () => {
  it.each([
    ['of 14 characters', 'kq8vXw2rPz5tYn', 'too_short'],
    ['of 14 characters that UTF-16 writes as 28', `${'𠮷'.repeat(7)}𡈽𠀋𡌛𡑮𡢽𠮟𡚴`, 'too_short'],
    ['of 257 characters', `${'vq'.repeat(120)}kq8vXw2rPz5tYn-17`, 'too_long'],
    ['with half of a surrogate pair', 'kq8vXw2rPz5tYnLm\ud800', 'unreadable'],
    ['with a NUL', 'kq8vXw2rPz5tYnLm\0', 'unreadable'],
  ])('%s', (_what, password, weakness) => {
    expect(lint(password)).toContain(weakness);
  });

  it.each([
    'passwordpassword',
    'Password20262026',
    'P@ssw0rd!P@ssw0rd!',
    'pa55word-pa55word',
    '00000password00000',
    'administrator123456',
    'adminadminadmin',
    'adm1n1strat0r!!!!!!',
    'WelcomePassword1!',
    'iloveyou-iloveyou-iloveyou',
    'iloveyouforever2026',
    'correcthorsebatterystaple',
    'Correct Horse Battery Staple',
    'thequickbrownfoxjumpsoverthelazydog',
    '123456789012345',
    '098765432109876',
    'aaaaaaaaaaaaaaaaaaaa',
    'abababababababab',
    'abcdabcdabcdabcd',
    'qwertyuiopasdfghjkl',
    'poiuytrewqlkjhgfdsa',
    '1qaz2wsx3edc4rfv',
    'qazwsxedcrfvtgb',
    'q1w2e3r4t5y6u7i8',
    'asdfghjkl1234567890',
    'abcdefghijklmnop',
    'woaini5201314520',
    'changemechangeme',
    'footballdragon99',
    'ｐａｓｓｗｏｒｄ１２３４５６７８',
    'pàsswörd-pàsswörd',
  ])('as a common one: %s', (password) => {
    expect(lint(password)).toContain('common');
  });

  it.each([
    'mei.lin.mei.lin.mei',
    'MeiLin2026MeiLin',
    'M3i-L1n!!!!!!!!!!',
    'meilin1234567890',
    'mei-password-lin',
    'portcullis-2026!',
    'P0rtcull1s-meilin',
    'go-admin-go-admin',
    'mei.lin@portcullis',
  ])('as close to the name: %s', (password) => {
    expect(lint(password)).toContain('close_to_name');
  });

  it.each([
    ['kq8vXw2r', undefined, 'too short', '过短'],
    ['passwordpassword', undefined, 'too common', '过于常见'],
    ['meilin1234567890', undefined, 'too close to a name', '与名称过于相近'],
    ['gorbelwiskantume', 'gorbelwiskantume', 'the same as the current one', '与当前密码相同'],
    ['gorbel', 'gorbel', 'too short and the same as the current one', '过短、与当前密码相同'],
  ])('with a text that names each reason and the minimum length: %s', (password, before, en, zh) => {
    expect(() => rules.check(password, mei, before)).toThrow(
      expect.objectContaining({
        text: {
          en: `This password is ${en}. Choose one of at least 15 characters, such as several unrelated words.`,
          zh: `密码${zh}。请换用至少 15 个字符的密码，例如几个互不相关的词。`,
        },
      }),
    );
  });

  it('with one kind of error, which does not repeat it', () => {
    const refusal = (() => {
      try {
        rules.check('Password20262026', mei);
        return undefined;
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ kind: 'password_weak', message: 'password_weak' });
  });
});

describe('a new password is accepted', () => {
  it.each([
    ['of random characters', 'kq8vXw2rPz5tYnL'],
    ['of random bytes in base64url', 'Zx3_kP-9vQ1tR7yLwN2a'],
    ['of small letters alone', 'gorbelwiskantume'],
    ['of digits alone in no order', '830174659201746'],
    ['of unrelated words', 'lamp orbit velvet ninety'],
    ['of words, three of which are common', 'dragon velvet monkey thursday'],
    ['that has a common word in it', 'kettle-password-orbit'],
    ['that has the name in it beside enough else', 'mei keeps nine velvet lamps'],
    ['in Chinese', '床前明月光疑是地上霜举头望明月'],
    ['with emoji', 'orbit 🚀 velvet 🌵 lamp'],
    ['of 256 characters', `${'kq8vXw2rPz5tYnLm'.repeat(3) + 'x7'.repeat(100)}abcdQRST`],
  ])('%s', (_what, password) => {
    expect(lint(password)).toEqual([]);
  });

  it('as long as the setting asks for, and no longer', () => {
    const short = createPasswordRules({ minimumLength: 8 });
    expect(short.lint('kq8vXw2r', mei)).toEqual([]);
    expect(short.lint('kq8vXw2', mei)).toEqual(['too_short']);
    expect(short.lint('password', mei)).toEqual(['common']);
    expect(short.lint('Dragon123', mei)).toEqual(['common']);
  });

  it('whatever the name is: one that is empty or short forbids nothing', () => {
    for (const owner of [
      { username: 'a', name: '' },
      { username: 'li', name: 'Li' },
    ])
      expect(lint('lamp orbit velvet ninety', owner)).toEqual([]);
  });

  it('by its composed form, however it was typed', () => {
    expect(lint(`${'e\u0301'.repeat(14)}x`)).toEqual(lint(`${'\u00e9'.repeat(14)}x`));
  });
});

it('is decided in a moment, however long and odd the password is', () => {
  const before = process.cpuUsage();
  for (const password of ['a1'.repeat(128), '1234'.repeat(64), `${'qwe'.repeat(85)}x`, 'abcabd'.repeat(42)])
    lint(password, { username: 'x'.repeat(64), name: 'y'.repeat(64) });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(500);
});
