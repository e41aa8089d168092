import { displayNamePattern, hasWordsOfOneScript, isOneScript, usernamePattern } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';

describe('a username', () => {
  it.each([
    'ada',
    'ada.b+1@shop-7',
    '李雷',
    'li雷',
    'たなか',
    'tanakaタナカ田中',
    '홍길동',
    'kim길동',
    'ㄅㄆ李',
    'иван',
    'ελένη',
    'ñandú',
    'अमित',
    '7',
  ])('accepts %s', (name) => {
    expect(isOneScript(name)).toBe(true);
  });

  it.each([
    '\u0430da',
    'ad\u0430',
    '\u03bfscar',
    'иbан',
    'ελеνη',
    '雷иван',
    'たなか길동',
    'adaअ',
    'ada١',
    'ꓮda',
  ])('rejects %s, of two scripts', (name) => {
    expect(isOneScript(name)).toBe(false);
  });

  it.each(['ada\u3164', '\u115fada', 'ad\u1160a', 'a\uffa0da'])(
    'rejects an invisible letter (%j)',
    (name) => {
      expect(name).toMatch(/^[\p{L}]+$/u);
      expect(name).not.toMatch(new RegExp(usernamePattern, 'u'));
    },
  );
});

describe('a display name', () => {
  it.each([
    'Mei Lin',
    '李雷 (IT)',
    'HR отдел',
    'IT-отдел',
    'Zoë',
    'Zoe\u0308',
    'ООО «Ромашка» Ltd',
    '销售 Sales 部',
  ])('accepts %s', (name) => {
    expect(name).toMatch(new RegExp(displayNamePattern, 'u'));
    expect(hasWordsOfOneScript(name)).toBe(true);
  });

  it.each(['\u0410dmin', 'Sal\u0435s team', 'M\u03bfnday', 'Ｓal\u0435s'])(
    'rejects a word of two scripts (%s)',
    (name) => {
      expect(hasWordsOfOneScript(name)).toBe(false);
    },
  );

  it.each(['a\u3164', 'a\u00adb', 'a\u200db', 'a\ufe0fb', 'x\u034f'])('may not hide a sign (%j)', (name) => {
    expect(name).not.toMatch(new RegExp(displayNamePattern, 'u'));
  });
});
