import { describe, expect, it } from 'vitest';
import { readRuleFile, ruleFormats, writeRuleFile } from '../src/rule-file.ts';

const rule = (roleKey: string, method: string, path: string) => ({ roleKey, method, path });
const rules = [rule('clerk', 'GET', '/api/v1/orders/:id'), rule('guest', '*', '/api/v1/news/*')];

describe('a file', () => {
  it.each([
    ['a line that is no rule', 'p, clerk, /a/, GET\n\np, clerk, /b, get\n', ['line 1', 'line 3']],
    ['role inheritance', '# roles\ng, ann, clerk\n', ['line 2']],
    ['a CSV line with a field more', 'roleKey,method,path\nclerk,GET,/a\nclerk,GET,/a,b\n', ['line 3']],
    ['a JSON rule without a path', '[{"roleKey":"clerk","method":"GET"},null]', ['rule 1', 'rule 2']],
    ['half of a JSON document', '[{"roleKey":', ['the file']],
    ['JSON that is no list', '{"roleKey":"clerk"}', ['the file']],
  ])('reports %s by its position', (_what, text, places) => {
    const { rejected } = readRuleFile(text, undefined);
    expect(rejected.map(({ place }) => place)).toEqual(places);
    expect(rejected.every(({ reason }) => reason.length > 10)).toBe(true);
  });

  it('is not read in another format than the named one', () => {
    expect(readRuleFile('p, clerk, /a, GET', 'csv').rejected).toMatchObject([{ place: 'line 1' }]);
  });

  it.each(ruleFormats)('of the format %s is read as it was written, and known without its name', (format) => {
    const { text } = writeRuleFile(rules, format);
    expect(readRuleFile(text, format)).toMatchObject({ rules, rejected: [] });
    expect(readRuleFile(`\uFEFF${text}`, undefined)).toMatchObject({ rules, rejected: [] });
  });

  it('without rules is written and read too', () => {
    for (const format of ruleFormats)
      expect(readRuleFile(writeRuleFile([], format).text, format)).toMatchObject({ rules: [], rejected: [] });
  });

  it('holds no stored text that is no rule', () => {
    const stored = [...rules, rule('clerk', 'GET', '/a b')];
    expect(writeRuleFile(stored, 'csv')).toEqual({ ...writeRuleFile(rules, 'csv'), leftOut: 1 });
  });

  it('as a spreadsheet writes it is read', () => {
    const text = 'roleKey,method,path\r\n"clerk",GET,"/api/v1/orders/:id"\r\n';
    expect(readRuleFile(text, undefined)).toMatchObject({ rules: rules.slice(0, 1), rejected: [] });
  });

  it('of casbin says where a rule allows less here', () => {
    expect(readRuleFile('p, guest, /api/v1/news/*, GET', undefined).narrowed).toMatchObject([
      { place: 'line 1' },
    ]);
  });
});
