import { negotiateLanguage } from '@portcullis/contract';
import { expect, it } from 'vitest';

const cases = [
  // No header, or none of our languages: English.
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['fr-FR,fr;q=0.9', 'en'],
  [',,;;,=', 'en'],
  // A tag decides by its first part, whatever its case.
  ['zh', 'zh'],
  ['zh-CN', 'zh'],
  ['ZH-hant-TW', 'zh'],
  ['en-GB', 'en'],
  ['zhx', 'en'],
  ['x-zh', 'en'],
  // The highest weight wins; the first of equals.
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['en;q=0.8,zh;q=0.9', 'zh'],
  ['zh;q=0.5,en', 'en'],
  ['zh,en', 'zh'],
  ['en,zh', 'en'],
  ['fr,zh;q=0.3', 'zh'],
  [' zh; q=0.9 , en; q=0.1 ', 'zh'],
  // A weight of nothing, or one that is no number, asks for nothing.
  ['zh;q=0', 'en'],
  ['zh;q=0.0,en;q=0.1', 'en'],
  ['zh;q=high', 'en'],
  ['zh;q=-1', 'en'],
  ['zh;q=NaN', 'en'],
] as const;

it.each(cases)('reads %j as %s', (header, language) => {
  expect(negotiateLanguage(header)).toBe(language);
});

// RFC 9110, section 12.4.2: space may stand on both sides of the semicolon.
it('reads a space before the semicolon of a weight as nothing', () => {
  expect(negotiateLanguage('zh ; q=0.9, en ; q=0.1')).toBe('zh');
});

it('looks at no more than the first sixteen ranges, however long the header is', () => {
  expect(negotiateLanguage(`${'fr,'.repeat(15)}zh`)).toBe('zh');
  expect(negotiateLanguage(`${'fr,'.repeat(16)}zh`)).toBe('en');
});
