// The rules that derive faults for `npm run mutation -- strangers`: what each makes, and what none touches.
import { appendFileSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deriveFaults } from '../mutation/strangers/derive-faults.ts';
import { applyFault, type Rule } from '../mutation/strangers/fault.ts';
import { modules } from '../mutation/strangers/modules.ts';
import { openResults, type Result } from '../mutation/strangers/results.ts';
import { sampleFaults } from '../mutation/strangers/sample-faults.ts';

/** What the rule makes of the text. */
function changesOf(rule: Rule, text: string, file = 'a.ts'): string[] {
  return deriveFaults(file, text)
    .filter((fault) => fault.rule === rule)
    .map((fault) => applyFault(text, fault));
}

describe('a script', () => {
  it('loses one operand of a condition', () => {
    expect(changesOf('operand', 'f(a && b() && (c || d));')).toEqual([
      'f(a && b() && (true));',
      'f(true && b() && (c || d));',
      'f(a && true && (c || d));',
      'f(a && b() && (false || d));',
      'f(a && b() && (c || false));',
    ]);
  });

  it('never runs the body of an if', () => {
    expect(changesOf('if', 'if (a(1)) b();\nelse c();')).toEqual(['if (false) b();\nelse c();']);
  });

  it.each(['return;', 'throw new Error();', '{ log(); return; }'])('loses a guard clause: %s', (body) => {
    const text = `function f() { if (a) ${body} b(); }`;
    expect(changesOf('guard', text)).toEqual([text.replace('(a)', '(false)')]);
    expect(changesOf('if', text)).toEqual([]);
  });

  it('loses a call that only checks or locks', () => {
    expect(
      changesOf('guard', 'if (a) checkUrl(b); await lockUser(c); checked(d); const e = check(f);'),
    ).toEqual([
      'if (a) ; await lockUser(c); checked(d); const e = check(f);',
      'if (a) checkUrl(b); ; checked(d); const e = check(f);',
    ]);
  });

  it('loses a condition of a query', () => {
    expect(changesOf('where', "db.selectFrom('a').where('b', '=', c).where(d).execute();")).toEqual([
      "db.selectFrom('a').where('b', '=', c).execute();",
      "db.selectFrom('a').where(d).execute();",
    ]);
  });

  it('loses an await whose value is not used, or is a condition', () => {
    expect(changesOf('await', 'await a(); const b = await c(); if (!(await d())) e(await f());')).toEqual([
      'a(); const b = await c(); if (!(await d())) e(await f());',
      'await a(); const b = await c(); if (!(d())) e(await f());',
    ]);
  });

  it('loses the await of a result inside try, where it decides who catches', () => {
    expect(
      changesOf('await', 'async function f() { try { return await a(); } catch {} return await b(); }'),
    ).toEqual(['async function f() { try { return a(); } catch {} return await b(); }']);
  });

  it('loses what a part is given', () => {
    expect(changesOf('wiring', 'createA({ b, c: d(), ...e }); use({ f });')).toEqual([
      'createA({  c: d(), ...e }); use({ f });',
      'createA({ b,  ...e }); use({ f });',
      'createA({ b, c: d(),  }); use({ f });',
    ]);
  });

  it('loses an element of a list of results', () => {
    expect(changesOf('wiring', 'const a = [...b(), c(), ...d];')).toEqual(['const a = [ c(), ...d];']);
  });

  it('of a composition, loses statements and elements that wire, but no line of a log', () => {
    const text = 'a.defer(b); logger.warn(c); f([d(), e]);';
    expect(changesOf('wiring', text, 'packages/server/src/compose/x.ts')).toEqual([
      '; logger.warn(c); f([d(), e]);',
      'a.defer(b); logger.warn(c); ;',
      'a.defer(b); logger.warn(c); f([ e]);',
    ]);
  });

  it('has a comparison negated', () => {
    expect(changesOf('comparison', 'a === b; c < d; e >= 1; f + g;')).toEqual([
      'a !== b; c < d; e >= 1; f + g;',
      'a === b; c >= d; e >= 1; f + g;',
      'a === b; c < d; e < 1; f + g;',
    ]);
  });

  it('keeps comments, types and strings', () => {
    const text = `
      // if (a && b) return await c();
      /** where a and b */
      type A<B> = B extends 'a && b' ? 1 : 2;
      interface C { readonly d: E['f' | 'g']; check(): void }
      const h: Map<A<1>, C> = new Map<A<1>, C>() as Map<A<1>, C>;
      const i = 'a === b and c < d';
      const j = \`select 1 where a and b\`;
      export type { K } from './k.ts';`;
    expect(deriveFaults('a.ts', text)).toEqual([]);
  });

  it('of a Vue component is its script alone, at its own lines', () => {
    const text =
      '<script setup lang="ts">\nconst b = a === 1;\n</script>\n\n<template><p v-if="c === 1" /></template>\n';
    expect(deriveFaults('a.vue', text)).toMatchObject([{ line: 2, before: 'a === 1', after: 'a !== 1' }]);
  });
});

describe('SQL', () => {
  const conditionsOf = (sql: string) => changesOf('where', `sql\`${sql}\`;`).map((text) => text.slice(4, -2));

  it('loses one condition of several', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: As it stands in a source.
    expect(conditionsOf('delete from a where b = ${c} and d is not distinct from e returning f')).toEqual([
      'delete from a where true and d is not distinct from e returning f',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: As it stands in a source.
      'delete from a where b = ${c} and true returning f',
    ]);
  });

  it('loses the only condition', () => {
    expect(conditionsOf('select 1 from a where b = any(c) order by d')).toEqual([
      'select 1 from a where true order by d',
    ]);
  });

  it('loses one side of an or', () => {
    expect(conditionsOf('a = 1 or b')).toEqual(['false or b', 'a = 1 or false']);
  });

  it('keeps the and of between, and text in strings and comments', () => {
    expect(conditionsOf("select 'where a and b' -- where c and d\nfrom e where f between 1 and 2")).toEqual([
      "select 'where a and b' -- where c and d\nfrom e where true",
    ]);
  });

  it('is read inside parentheses and case', () => {
    expect(conditionsOf('select case when a and b then c end from d where (e) is null')).toEqual([
      'select case when true and b then c end from d where (e) is null',
      'select case when a and true then c end from d where (e) is null',
      'select case when a and b then c end from d where true',
    ]);
  });

  it('of a migration loses conditions of functions and of unique indexes, but of no other index', () => {
    const text = `create index a on b (c) where d;
      create unique index e on b (c) where f;
      create function g() returns trigger language plpgsql as $$ begin
        if h and i then raise exception 'no'; end if;
      end $$;`;
    expect(deriveFaults('a.sql', text).map(({ before, after }) => `${before} => ${after}`)).toEqual([
      'where f => where true',
      'if h => if true',
      'and i => and true',
    ]);
  });
});

describe('a sample', () => {
  const script = Array.from({ length: 30 }, (_, n) => `if (a${n} === ${n}) b(); await c${n}();`).join('\n');
  const faultsOf = new Map([
    ['large', [...deriveFaults('x.ts', script), ...deriveFaults('y.ts', script)]],
    ['small', deriveFaults('z.ts', 'd && e; await f();')],
  ]);
  const idsOf = (seed: number, count: number) => sampleFaults(faultsOf, seed, count).map(({ id }) => id);

  it('is the same for the same seed, and another one for another', () => {
    expect(idsOf(1, 20)).toEqual(idsOf(1, 20));
    expect(idsOf(1, 20)).not.toEqual(idsOf(2, 20));
    expect(new Set(idsOf(1, 20)).size).toBe(20);
  });

  it('begins with every smaller one', () => {
    expect(idsOf(1, 20).slice(0, 7)).toEqual(idsOf(1, 7));
  });

  it('has an equal share of each module, rule and file', () => {
    const count = (values: readonly string[]) => {
      const groups = Map.groupBy(values, (value) => value);
      return Object.fromEntries([...groups].map(([value, { length }]) => [value, length]));
    };
    expect(count(sampleFaults(faultsOf, 1, 6).map(({ module }) => module))).toEqual({ large: 3, small: 3 });
    const large = sampleFaults(faultsOf, 1, 21).filter(({ module }) => module === 'large');
    expect(count(large.map(({ fault }) => fault.rule))).toEqual({ if: 6, comparison: 6, await: 6 });
    expect(count(large.map(({ fault }) => fault.file))).toEqual({ 'x.ts': 9, 'y.ts': 9 });
  });

  it('keeps the order of its faults when code beside them is added', () => {
    const longer = new Map([['large', deriveFaults('x.ts', `g < h;\n${script}`)]]);
    const shorter = new Map([['large', deriveFaults('x.ts', script)]]);
    const [first, second] = [longer, shorter].map((faults) =>
      sampleFaults(faults, 1, 1000)
        .filter(({ fault }) => fault.before !== 'g < h')
        .map(({ id }) => id),
    );
    expect(first?.toSorted()).toEqual(second?.toSorted());
  });
});

describe('results', () => {
  const result = { id: 'a', verdict: 'caught' } as Result;
  function fileOfResults(): string {
    const folder = mkdtempSync(join(tmpdir(), 'derived-faults-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, 'new/results.jsonl');
  }

  it('are kept for the next run, except undecided and partly written ones', () => {
    const file = fileOfResults();
    const first = openResults(file, true);
    first.add(result);
    first.add({ ...result, id: 'b', verdict: 'undecided' });
    appendFileSync(file, '{"id":"c","verdi');
    expect([...openResults(file, true).kept.values()]).toEqual([result]);
  });

  it('continue after a partly written one', () => {
    const file = fileOfResults();
    openResults(file, true);
    appendFileSync(file, '{"id":"c","verdi');
    openResults(file, true).add(result);
    expect([...openResults(file, true).kept.keys()]).toEqual(['a']);
  });

  it('start again on request', () => {
    const file = fileOfResults();
    openResults(file, true).add(result);
    expect(openResults(file, false).kept.size).toBe(0);
    expect(openResults(file, true).kept.size).toBe(0);
  });
});

it.each(modules)('finds sources and tests of $name', ({ sources, unit, conformance, attack }) => {
  const empty = [...sources, ...unit, ...conformance, ...attack].filter(
    (glob) => globSync(glob).length === 0,
  );
  expect(empty).toEqual([]);
});
