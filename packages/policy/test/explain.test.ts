import { describe, expect, it } from 'vitest';
import { explain } from '../src/index.ts';
import { rule, snapshotOf } from './rule.ts';

const snapshot = snapshotOf(
  'editor GET /articles',
  'editor GET /articles/:id',
  'editor PUT /articles/:id',
  'editor GET /articles/:id/comments/:comment',
  'editor POST /articles/:id/publish',
  'editor * /drafts/*',
  'editor GET /reports/2024/summary.json',
  'reader GET /articles/:id',
  'visitor GET /',
  'operator GET /api/v1/machines/:id/logs/*',
);

function ask(line: string) {
  const [roleKey = '', method = '', ...path] = line.split(' ');
  return { roleKey, method, path: path.join(' ') };
}

const refusals: readonly (readonly [request: string, sentence: string])[] = [
  ['ghost GET /articles', 'The role "ghost" has no rules, so it may not call GET /articles.'],
  ['Editor GET /articles', 'The role "Editor" has no rules, so it may not call GET /articles.'],
  ['* GET /articles', 'The role "*" has no rules, so it may not call GET /articles.'],
  ['__proto__ GET /articles', 'The role "__proto__" has no rules, so it may not call GET /articles.'],
  ['Admin GET /articles', 'The role "Admin" has no rules, so it may not call GET /articles.'],
  ['admin\u200b GET /articles', 'The role "admin\\u{200b}" has no rules, so it may not call GET /articles.'],
  [' GET /articles', 'The role "" has no rules, so it may not call GET /articles.'],
  [
    'editor DELETE /articles/7',
    'The role "editor" may not call DELETE /articles/7. Its rule GET /articles/:id comes nearest: the method is DELETE where the rule has GET.',
  ],
  [
    'editor POST /articles',
    'The role "editor" may not call POST /articles. Its rule GET /articles comes nearest: the method is POST where the rule has GET.',
  ],
  [
    'editor HEAD /articles',
    'The role "editor" may not call HEAD /articles. Its rule GET /articles comes nearest: the method is HEAD where the rule has GET.',
  ],
  [
    'editor GET /articles/7/publish',
    'The role "editor" may not call GET /articles/7/publish. Its rule POST /articles/:id/publish comes nearest: the method is GET where the rule has POST.',
  ],
  [
    'editor GET /article',
    'The role "editor" may not call GET /article. Its rule GET /articles comes nearest: segment 1 is "article" where the rule has "articles".',
  ],
  [
    'editor GET /Articles/7',
    'The role "editor" may not call GET /Articles/7. Its rule GET /articles/:id comes nearest: segment 1 is "Articles" where the rule has "articles".',
  ],
  [
    'editor PUT /article/7',
    'The role "editor" may not call PUT /article/7. Its rule PUT /articles/:id comes nearest: segment 1 is "article" where the rule has "articles".',
  ],
  [
    'editor GET /articles/7/comment/3',
    'The role "editor" may not call GET /articles/7/comment/3. Its rule GET /articles/:id/comments/:comment comes nearest: segment 3 is "comment" where the rule has "comments".',
  ],
  [
    'editor POST /articles/7/unpublish',
    'The role "editor" may not call POST /articles/7/unpublish. Its rule POST /articles/:id/publish comes nearest: segment 3 is "unpublish" where the rule has "publish".',
  ],
  [
    'editor GET /reports/2025/summary.json',
    'The role "editor" may not call GET /reports/2025/summary.json. Its rule GET /reports/2024/summary.json comes nearest: segment 2 is "2025" where the rule has "2024".',
  ],
  [
    'editor GET /reports/2024/summaryXjson',
    'The role "editor" may not call GET /reports/2024/summaryXjson. Its rule GET /reports/2024/summary.json comes nearest: segment 3 is "summaryXjson" where the rule has "summary.json".',
  ],
  [
    'editor GET /articles/7/comments',
    'The role "editor" may not call GET /articles/7/comments. Its rule GET /articles/:id/comments/:comment comes nearest: segment 4 is missing where the rule has ":comment".',
  ],
  [
    'editor GET /drafts',
    'The role "editor" may not call GET /drafts. Its rule * /drafts/* comes nearest: segment 2 is missing where the rule has "*".',
  ],
  [
    'editor GET /drafts/',
    'The role "editor" may not call GET /drafts/. Its rule * /drafts/* comes nearest: segment 2 is "" where the rule has "*".',
  ],
  [
    'editor GET /articles/',
    'The role "editor" may not call GET /articles/. Its rule GET /articles/:id comes nearest: segment 2 is "" where the rule has ":id".',
  ],
  [
    'editor GET /articles/7/',
    'The role "editor" may not call GET /articles/7/. Its rule GET /articles/:id comes nearest: segment 3, "", is more than the rule has.',
  ],
  [
    'editor PUT /articles/7/title',
    'The role "editor" may not call PUT /articles/7/title. Its rule PUT /articles/:id comes nearest: segment 3, "title", is more than the rule has.',
  ],
  [
    'editor GET /articles/7/comments/3/likes',
    'The role "editor" may not call GET /articles/7/comments/3/likes. Its rule GET /articles/:id/comments/:comment comes nearest: segment 5, "likes", is more than the rule has.',
  ],
  [
    'editor DELETE /articles/7/comment/3',
    'The role "editor" may not call DELETE /articles/7/comment/3. Its rule GET /articles/:id/comments/:comment comes nearest: the method is DELETE where the rule has GET, and segment 3 is "comment" where the rule has "comments".',
  ],
  [
    'editor DELETE /articles/7/8',
    'The role "editor" may not call DELETE /articles/7/8. Its rule GET /articles/:id comes nearest: the method is DELETE where the rule has GET, and segment 3, "8", is more than the rule has.',
  ],
  [
    'reader GET /users/7/roles',
    'The role "reader" may not call GET /users/7/roles: none of its rules comes near (it has 1).',
  ],
  [
    'reader DELETE /users/7/roles',
    'The role "reader" may not call DELETE /users/7/roles: none of its rules comes near (it has 1).',
  ],
  [
    'editor GET /a/b/c/d/e/f',
    'The role "editor" may not call GET /a/b/c/d/e/f: none of its rules comes near (it has 7).',
  ],
  [
    'visitor GET /home',
    'The role "visitor" may not call GET /home. Its rule GET / comes nearest: segment 1, "home", is more than the rule has.',
  ],
  [
    'visitor POST /',
    'The role "visitor" may not call POST /. Its rule GET / comes nearest: the method is POST where the rule has GET.',
  ],
  [
    'operator GET /api/v1/machines/7/logs',
    'The role "operator" may not call GET /api/v1/machines/7/logs. Its rule GET /api/v1/machines/:id/logs/* comes nearest: segment 6 is missing where the rule has "*".',
  ],
  [
    'editor GET /reports/2024/detail',
    'The role "editor" may not call GET /reports/2024/detail. Its rule GET /reports/2024/summary.json comes nearest: segment 3 is "detail" where the rule has "summary.json".',
  ],
  [
    'operator GET /api/v2/machines/7/logs/today/all',
    'The role "operator" may not call GET /api/v2/machines/7/logs/today/all. Its rule GET /api/v1/machines/:id/logs/* comes nearest: segment 2 is "v2" where the rule has "v1".',
  ],
  ['editor GET articles', 'No rule can allow the path "articles", because it does not start with "/".'],
  ['editor GET ', 'No rule can allow the path "", because it does not start with "/".'],
  ['editor GET //articles', 'No rule can allow the path "//articles", because it has an empty segment.'],
  ['editor GET /../a', 'No rule can allow the path "/../a", because it has a "." or ".." segment.'],
  ['editor GET /articles//7', 'No rule can allow the path "/articles//7", because it has an empty segment.'],
  [
    'editor GET /drafts/../users',
    'No rule can allow the path "/drafts/../users", because it has a "." or ".." segment.',
  ],
  ['editor GET /drafts/.', 'No rule can allow the path "/drafts/.", because it has a "." or ".." segment.'],
  [
    'editor GET /drafts/%2e%2e/users',
    'No rule can allow the path "/drafts/%2e%2e/users", because it has a "%" that escapes nothing, or a letter, digit, slash or control character.',
  ],
  [
    'editor GET /drafts/a%2Fb',
    'No rule can allow the path "/drafts/a%2Fb", because it has a "%" that escapes nothing, or a letter, digit, slash or control character.',
  ],
  ['editor GET /drafts/a;b', 'No rule can allow the path "/drafts/a;b", because it has the character ";".'],
  ['editor GET /drafts/中', 'No rule can allow the path "/drafts/中", because it has the character "中".'],
  [
    'editor GET /drafts/a\nb',
    'No rule can allow the path "/drafts/a\\nb", because it has the character "\\n".',
  ],
  [
    `editor GET /drafts/${'a'.repeat(5000)}`,
    `No rule can allow the path "/drafts/${'a'.repeat(72)}...", because it is longer than 4096 characters.`,
  ],
  [
    'editor get /articles',
    'No rule can allow the method "get": the methods are GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.',
  ],
  [
    'editor TRACE /drafts/7',
    'No rule can allow the method "TRACE": the methods are GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.',
  ],
  [
    'editor * /articles',
    'No rule can allow the method "*": the methods are GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.',
  ],
];

describe('explain, on a refusal', () => {
  it('has at least forty sentences to hold', () => {
    expect(refusals.length).toBeGreaterThanOrEqual(40);
  });

  it.each(refusals)('says of %j why', (request, sentence) => {
    const explanation = explain(snapshot, ask(request));
    expect(explanation.sentence).toBe(sentence);
    expect(explanation.step).toBe('none');
    expect(explanation.decision).toBe('deny');
    expect(explanation.rule).toBeUndefined();
  });

  it('gives the nearest rules as data, with all that differs, the nearest first', () => {
    expect(explain(snapshot, ask('editor DELETE /articles/7')).nearest).toEqual([
      {
        rule: rule('editor GET /articles/:id'),
        differs: [{ kind: 'method', expected: 'GET', actual: 'DELETE' }],
      },
      {
        rule: rule('editor PUT /articles/:id'),
        differs: [{ kind: 'method', expected: 'PUT', actual: 'DELETE' }],
      },
      {
        rule: rule('editor POST /articles/:id/publish'),
        differs: [
          { kind: 'method', expected: 'POST', actual: 'DELETE' },
          { kind: 'missing', place: 3, expected: 'publish' },
        ],
      },
    ]);
    expect(explain(snapshot, ask('operator GET /api/v1/machines/7')).nearest).toEqual([
      {
        rule: rule('operator GET /api/v1/machines/:id/logs/*'),
        differs: [
          { kind: 'missing', place: 5, expected: 'logs' },
          { kind: 'missing', place: 6, expected: '*' },
        ],
      },
    ]);
    expect(explain(snapshot, ask('reader GET /articles/7/8/9')).nearest).toEqual([
      {
        rule: rule('reader GET /articles/:id'),
        differs: [
          { kind: 'extra', place: 3, actual: '8' },
          { kind: 'extra', place: 4, actual: '9' },
        ],
      },
    ]);
  });

  it('looks only at the rules of the role that asks', () => {
    const { nearest } = explain(snapshot, ask('visitor GET /articles/7'));
    expect(nearest.map((near) => near.rule)).toEqual([rule('visitor GET /')]);
  });

  it('does not take a method or a path that is nearly excluded as excluded', () => {
    const exclusions = [{ method: 'GET', path: '/profile' }];
    for (const request of ['ghost POST /profile', 'ghost GET /profile/', 'ghost GET /Profile']) {
      expect(explain(snapshot, ask(request), exclusions).step).toBe('none');
    }
  });
});

it('shortens a long path in its sentence', () => {
  const path = `/articles/${'a'.repeat(4086)}`;
  const explanation = explain(snapshot, { roleKey: 'reader', method: 'PUT', path });
  expect(explanation.sentence).toBe(
    `The role "reader" may not call PUT /articles/${'a'.repeat(70)}.... Its rule GET /articles/:id comes nearest: the method is PUT where the rule has GET.`,
  );
  expect(explain(snapshot, { roleKey: 'reader', method: 'GET', path }).decision).toBe('allow');
});

describe('explain, where the request passes', () => {
  it('names admin before anything else', () => {
    expect(explain(snapshot, ask('admin BREW //'), [{ method: 'BREW', path: '//' }])).toEqual({
      step: 'admin',
      decision: 'allow',
      nearest: [],
      sentence: 'The role "admin" passes without a permission check.',
    });
  });

  it('names the exclusion list before a rule', () => {
    expect(explain(snapshot, ask('editor GET /articles'), [{ method: 'GET', path: '/articles' }])).toEqual({
      step: 'excluded',
      decision: 'allow',
      nearest: [],
      sentence: 'GET /articles is on the exclusion list, so every role may call it.',
    });
  });

  it('names the rule', () => {
    expect(explain(snapshot, ask('editor PUT /articles/7'))).toEqual({
      step: 'rule',
      decision: 'allow',
      rule: rule('editor PUT /articles/:id'),
      nearest: [],
      sentence: 'The role "editor" may call PUT /articles/7 because of its rule PUT /articles/:id.',
    });
  });

  it('names the most specific of several rules', () => {
    const lines = [
      'r * /*',
      'r GET /*',
      'r GET /a/*',
      'r GET /:x/b',
      'r GET /a/:x',
      'r GET /a/:y',
      'r * /a/b',
      'r GET /a/b',
    ];
    const order = ['GET /a/b', '* /a/b', 'GET /a/:x', 'GET /a/:y', 'GET /a/*', 'GET /:x/b', 'GET /*', '* /*'];
    for (const expected of order) {
      const remaining = lines.filter((line) => order.indexOf(line.slice(2)) >= order.indexOf(expected));
      const found = explain(snapshotOf(...remaining), ask('r GET /a/b')).rule;
      expect(`${found?.method} ${found?.path}`).toBe(expected);
    }
  });
});
