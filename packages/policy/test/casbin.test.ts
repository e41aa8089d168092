import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportCasbinPolicy, exportCasbinRows, importCasbinPolicy, importCasbinRows } from '../src/index.ts';
import { goAdminModel } from './go-admin-model.ts';
import { rule } from './rule.ts';

describe('importCasbinPolicy', () => {
  it('rejects every line that is no rule, with its number, its text and a reason', () => {
    const text = [
      'g, ann, editor',
      'g2, /a, /b',
      'p2, editor, /a, GET',
      'p',
      'p, editor',
      'p, editor, /a',
      'p, editor, /a, GET, allow',
      'p, editor, /a, GET, deny',
      'p, editor, /a,',
      'p, editor, /user*, GET',
      'p, editor, /foo/:, GET',
      'p, editor, /a/(x+x+)+y, GET',
      'p, editor, /a/(b,c), GET',
      'p, Editor, /a, GET',
      'p, editor, /a, get',
      'p, editor, "/a, GET',
      'p, editor, "/a" x, GET',
      'p, editor, "/a""b", GET',
      'nonsense',
      ',',
    ].join('\n');
    const { rules, rejected } = importCasbinPolicy(text);
    expect(rules).toEqual([]);
    expect(rejected.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(rejected.map(({ text }) => text)).toEqual(text.split('\n'));
    expect(rejected.map(({ reason }) => reason)).toEqual([
      'Roles do not inherit here ("g"): give each role its own rules.',
      'Only lines that start with "p" are rules.',
      'Only lines that start with "p" are rules.',
      'After "p" stand 0 fields: write the role key, the path and the method.',
      'After "p" stand 1 fields: write the role key, the path and the method.',
      'After "p" stand 2 fields: write the role key, the path and the method.',
      'After "p" stand 4 fields: write the role key, the path and the method.',
      'After "p" stand 4 fields: write the role key, the path and the method.',
      expect.stringContaining('The method "" is not one'),
      expect.stringContaining('Segment 1, "user*", has "*" beside other characters'),
      'The parameter in segment 2 has no name: write one, such as ":id".',
      expect.stringContaining('is not plain text'),
      'After "p" stand 4 fields: write the role key, the path and the method.',
      expect.stringContaining('The role key "Editor" is refused'),
      'Write the method "get" in upper case.',
      'A quote is not closed before the comma: close it, or leave it out.',
      'A quote is not closed before the comma: close it, or leave it out.',
      expect.stringContaining('is not plain text'),
      'Only lines that start with "p" are rules.',
      'Only lines that start with "p" are rules.',
    ]);
  });

  it('names what allows less here than in casbin', () => {
    const { rules, narrowed } = importCasbinPolicy(
      'p, a, /x.json, GET\np, a, /x/*, GET\np, a, /y, *\np, a, /z, GET',
    );
    expect(rules).toHaveLength(4);
    expect(narrowed).toEqual([
      { line: 1, text: 'p, a, /x.json, GET', reason: 'casbin reads "." as any character; here it is a dot.' },
      {
        line: 2,
        text: 'p, a, /x/*, GET',
        reason: 'casbin also allows "/x/"; here "*" is at least one segment.',
      },
      {
        line: 3,
        text: 'p, a, /y, *',
        reason: 'casbin allows any word as a method; here "*" is the seven methods.',
      },
    ]);
  });

  it('skips comments and blank lines, and counts them', () => {
    const { rules, rejected } = importCasbinPolicy(
      '# rules\r\n\r\n  # more\n \t\np, a, /x, GET\r\ng, b, a\r\n',
    );
    expect(rules).toEqual([rule('a GET /x')]);
    expect(rejected.map(({ line }) => line)).toEqual([6]);
  });

  it('finds nothing in an empty file', () => {
    expect(importCasbinPolicy('')).toEqual({ rules: [], rejected: [], narrowed: [] });
  });

  it('reads quotes and blanks as casbin does', async () => {
    const field = (text: string) =>
      fc
        .record({
          quoted: fc.boolean(),
          before: fc.stringMatching(/^[ \t]{0,2}$/),
          after: fc.stringMatching(/^[ \t]{0,2}$/),
        })
        .map(({ quoted, before, after }) => before + (quoted ? `"${text}"` : text) + after);
    const line = fc
      .tuple(
        fc.constant('p'),
        fc.constantFrom('a', 'b-1'),
        fc.constantFrom('/x', '/x/:id', '/x/*'),
        fc.constantFrom('GET', '*'),
      )
      .chain((fields) => fc.tuple(...fields.map(field)))
      .map((fields) => fields.join(','));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
        const text = lines.join('\n');
        const enforcer = await newEnforcer(newModelFromString(goAdminModel), new StringAdapter(text));
        const ours = importCasbinPolicy(text).rules.map(({ roleKey, path, method }) => [
          roleKey,
          path,
          method,
        ]);
        expect(ours).toEqual(await enforcer.getPolicy());
      }),
      { numRuns: 200 },
    );
  });
});

describe('importCasbinRows', () => {
  it('rejects every row that is not a rule, with its line and a reason', () => {
    const { rules, rejected } = importCasbinRows([
      { ptype: 'g', v0: 'ann', v1: 'editor' },
      { ptype: 'p', v0: 'editor', v1: '/a', v2: 'GET', v3: 'deny' },
      { ptype: 'p', v0: 'editor', v1: '/a', v2: 'GET', v5: 'x' },
      { ptype: 'p', v0: 'editor', v1: '/a' },
      { ptype: 'p', v0: 'editor', v1: null, v2: 'GET' },
      { ptype: '', v0: 'editor', v1: '/a', v2: 'GET' },
    ]);
    expect(rules).toEqual([]);
    expect(rejected.map(({ line, text }) => `${line}: ${text}`)).toEqual([
      '1: g, ann, editor',
      '2: p, editor, /a, GET, deny',
      '3: p, editor, /a, GET, , , x',
      '4: p, editor, /a',
      '5: p, editor, , GET',
      '6: , editor, /a, GET',
    ]);
  });

  it('takes empty and missing trailing columns alike', () => {
    const { rules } = importCasbinRows([
      { ptype: 'p', v0: 'a', v1: '/x', v2: 'GET' },
      { ptype: 'p', v0: 'a', v1: '/y', v2: 'GET', v3: '', v4: null, v5: '' },
    ]);
    expect(rules).toEqual([rule('a GET /x'), rule('a GET /y')]);
  });
});

describe('the export', () => {
  const rules = ['editor GET /', 'editor * /a/:id', 'reader DELETE /a/:id/b.c/*'].map(rule);

  it('writes one line for each rule, which reads back as it was', () => {
    const text = exportCasbinPolicy(rules);
    expect(text).toBe('p, editor, /, GET\np, editor, /a/:id, *\np, reader, /a/:id/b.c/*, DELETE\n');
    expect(importCasbinPolicy(text)).toMatchObject({ rules, rejected: [] });
  });

  it('writes one row for each rule, which reads back as it was', () => {
    expect(exportCasbinRows(rules)[1]).toEqual({ ptype: 'p', v0: 'editor', v1: '/a/:id', v2: '*' });
    expect(importCasbinRows(exportCasbinRows(rules))).toMatchObject({ rules, rejected: [] });
  });

  it('writes what casbin itself reads as the same rules', async () => {
    const enforcer = await newEnforcer(
      newModelFromString(goAdminModel),
      new StringAdapter(exportCasbinPolicy(rules)),
    );
    expect(await enforcer.getPolicy()).toEqual(
      rules.map(({ roleKey, path, method }) => [roleKey, path, method]),
    );
  });
});
