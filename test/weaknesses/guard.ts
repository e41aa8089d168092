// The guard of a business service, and the data scope on its tables.
import type { Weakness } from './weakness.ts';

const src = 'packages/guard/src';
const test = 'packages/guard/test';
const guard = `${src}/create-guard.ts`;
const pipeline = 'packages/gate/src/pipeline.ts';
const refusalsTest = `${test}/refusals.test.ts`;
const source = `${src}/source.ts`;
const faultyTest = `${test}/faulty-listener.test.ts`;
const dataScope = `${src}/data-scope.ts`;
const scopeTest = `${test}/data-scope.test.ts`;

export const guardWeaknesses: readonly Weakness[] = [
  {
    name: 'a guard decides by old state after its lease',
    file: guard,
    before: 'const { current } = memory;',
    after:
      'const { current } = memory;\n  current.isLive = () => true;\n  memory.lease.isLive = current.isLive;',
    seenBy: [`${test}/lease.test.ts`],
  },
  {
    name: 'a guard does not check its lease again after it verified a token',
    file: pipeline,
    before: ': waiting.then(() => confirm(again, request, current));',
    after: ': waiting;',
    seenBy: [`${test}/late-verification.test.ts`],
  },
  {
    name: 'a guard decides about an ambiguous target',
    file: guard,
    before: 'canonical: canonicalCheck }',
    after: 'canonical: () => {} }',
    seenBy: [refusalsTest],
  },
  {
    name: 'a guard skips the CSRF check',
    file: guard,
    before: 'canonical: canonicalCheck }',
    after: 'canonical: canonicalCheck, site: () => {} }',
    seenBy: [refusalsTest],
  },
  {
    name: 'a guard skips the check of a due password',
    file: guard,
    before: 'canonical: canonicalCheck }',
    after: 'canonical: canonicalCheck, passwordDue: () => {} }',
    seenBy: [`${test}/due-password.test.ts`],
  },
  {
    name: 'a guard skips the permission check',
    file: guard,
    before: 'canonical: canonicalCheck }',
    after: 'canonical: canonicalCheck, permit: () => {} }',
    seenBy: [refusalsTest],
  },
  {
    name: 'a guard caches refusals',
    file: guard,
    before: "'cache-control': 'no-store', ",
    after: '',
    seenBy: [refusalsTest],
  },
  {
    name: 'a guard verifies by the keys of dev',
    file: guard,
    before: 'keys: createVerifyingKeys(dev),',
    after: 'keys: createVerifyingKeys(true),',
    seenBy: [`${test}/joining.test.ts`],
  },
  {
    name: 'a guard accepts any part for the requested one',
    file: source,
    before: "if (createHash('sha256').update(part).digest('hex') !== hash)",
    after: 'if (part.length > 1_000_000_000)',
    seenBy: [faultyTest],
  },
  {
    name: 'a guard continues without the parts that it could not fetch',
    file: source,
    before: 'if (parts.size === before) throw error;',
    after: 'return { manifest: { ...manifest, parts: [...parts.keys()] }, parts };',
    seenBy: [faultyTest],
  },
  {
    name: 'a guard accepts records that it cannot read',
    file: source,
    before: 'if (!isPiece(piece))',
    after: 'if (piece === undefined)',
    seenBy: [faultyTest],
  },
  {
    name: 'an adapter lets a refused request continue',
    file: `${src}/express.ts`,
    before: 'if (decision.allowed === true) {',
    after: "if ('allowed' in decision) {",
    seenBy: [`${test}/adapters.test.ts`],
  },
  {
    name: 'no departments are all rows in SQL',
    file: dataScope,
    before: "return { text: 'false', values: [] };",
    after: "return { text: 'true', values: [] };",
    seenBy: [scopeTest],
  },
  {
    name: 'no departments are all rows in Kysely',
    file: `${src}/kysely.ts`,
    before: 'eb.lit(false)',
    after: 'eb.lit(true)',
    seenBy: [scopeTest],
  },
  {
    name: 'a new row is in every data scope',
    file: dataScope,
    before: 'return row.owner === known.userId;',
    after: 'return row.owner !== 0;',
    seenBy: [scopeTest],
  },
  {
    name: 'a prototype opens a table',
    file: dataScope,
    before: ' || !Object.hasOwn(value, name)',
    after: '',
    seenBy: [scopeTest],
  },
  {
    name: 'the data scope of another user is taken',
    file: dataScope,
    before: "|| own(answer, 'userId') !== userId",
    after: '',
    seenBy: [`${test}/fetch-scope.test.ts`],
  },
  {
    name: 'an unknown data scope is all rows',
    file: 'packages/contract/src/role.ts',
    before: "?? '5'",
    after: "?? '1'",
    seenBy: ['packages/contract/test/role.test.ts'],
  },
  {
    name: 'a guard in Koa decides by the path behind a mount',
    file: 'packages/guard/src/koa.ts',
    before: 'const { req, res, originalUrl: target } = context;',
    after: 'const { req, res, url: target } = context as typeof context & { url: string };',
    seenBy: ['packages/guard/test/adapters.test.ts'],
  },
  {
    name: 'a guard reads an answer of any length',
    file: 'packages/guard/src/http.ts',
    before: "if (length > mostBytes) throw new Error('An answer is too long.');",
    after: '',
    seenBy: ['packages/guard/test/http.test.ts'],
  },
  {
    name: 'a slow answer blocks a guard forever',
    file: 'packages/guard/src/http.ts',
    before: "() => response.destroy(new Error('An answer takes too long.')),",
    after: '() => {},',
    seenBy: ['packages/guard/test/http.test.ts'],
  },
  {
    name: 'a guard opens every connection at the same address',
    file: 'packages/guard/src/http.ts',
    before: 'nextSocket += 1;',
    after: '',
    seenBy: ['packages/guard/test/http.test.ts'],
  },
  {
    name: 'a closed guard continues its requests',
    file: 'packages/guard/src/http.ts',
    before: 'isClosed = true;',
    after: '',
    seenBy: ['packages/guard/test/http.test.ts'],
  },
];
