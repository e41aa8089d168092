// What is said of a number. Texts know the language of the document, which only a browser has.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

beforeAll(async () => {
  // Vue would take it for a browser's.
  await import('vue');
  vi.stubGlobal('document', { documentElement: {} });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

type Say = (...values: never[]) => string;
const bulk = async () => (await import('../../src/pages/users/bulk-texts.ts')).bulkTexts;
const factor = async () => (await import('../../src/pages/role/factor-texts.ts')).factorTexts;
const role = async () => (await import('../../src/pages/role/texts.ts')).texts;
const overview = async () => (await import('../../src/pages/overview/texts.ts')).texts;
const matrix = async () => (await import('../../src/pages/matrix/texts.ts')).texts;
const wider = async () => (await import('../../src/pages/matrix/wider-texts.ts')).widerTexts;
const review = async () => (await import('../../src/pages/matrix/review-texts.ts')).reviewTexts;
const mapping = async () => (await import('../../src/pages/provider/mapping-texts.ts')).mappingTexts;
const provider = async () => (await import('../../src/pages/provider/texts.ts')).texts;
const endpoint = async () => (await import('../../src/pages/endpoint/texts.ts')).texts;
const services = async () => (await import('../../src/pages/endpoints/service-texts.ts')).serviceTexts;
const audit = async () => (await import('../../src/pages/audit/texts.ts')).texts;
const roles = async () => (await import('../../src/pages/roles/texts.ts')).texts;
const ways = async () => (await import('../../src/pages/user/ways-texts.ts')).waysTexts;

/** A text of both languages, by its path, with the values that it is given. */
async function say(
  load: () => Promise<{ readonly en: object; readonly zh: object }>,
  language: 'en' | 'zh',
  path: string,
  values: readonly unknown[],
): Promise<string> {
  const found = path
    .split('.')
    .reduce<unknown>((texts, name) => (texts as Record<string, unknown>)[name], (await load())[language]);
  return (found as Say)(...(values as never[]));
}

// biome-ignore format: One row a text.
const rows: readonly (readonly [load: Parameters<typeof say>[0], language: 'en' | 'zh', path: string, values: readonly unknown[], said: string])[] = [
  [bulk, 'en', 'disable.title', [1], 'Disable one user?'],
  [bulk, 'en', 'disable.title', [2], 'Disable 2 users?'],
  [bulk, 'en', 'disable.done', [1], 'One user is disabled.'],
  [bulk, 'en', 'disable.done', [2], '2 users are disabled.'],
  [bulk, 'en', 'spared', [1], 'One is disabled already and is left as it is.'],
  [bulk, 'en', 'spared', [2], '2 are disabled already and are left as they are.'],
  [bulk, 'en', 'failed', [1], 'One could not be done:'],
  [bulk, 'en', 'failed', [2], '2 could not be done:'],
  [bulk, 'en', 'left', [1], 'For one nothing was tried.'],
  [bulk, 'en', 'left', [2], 'For 2 nothing was tried.'],
  [bulk, 'en', 'again', [1], 'Try the other one'],
  [bulk, 'en', 'again', [2], 'Try the other 2'],
  [factor, 'en', 'ends', [0], 'No session ends.'],
  [factor, 'en', 'ends', [1], '1 session ends before this returns.'],
  [factor, 'en', 'ends', [2], '2 sessions end before this returns.'],
  [factor, 'en', 'ends', [10_000], 'At least 10,000 sessions end before this returns.'],
  [factor, 'en', 'mustSetUp', [0], 'Everybody has what it takes.'],
  [factor, 'en', 'mustSetUp', [1], '1 person has to set something up at the next sign-in.'],
  [factor, 'en', 'mustSetUp', [10_000], 'At least 10,000 people have to set something up at the next sign-in.'],
  [factor, 'zh', 'ends', [0], '不会结束任何会话。'],
  [factor, 'zh', 'ends', [2], '操作返回前将结束 2 个会话。'],
  [factor, 'zh', 'ends', [10_000], '操作返回前将结束至少 10000 个会话。'],
  [factor, 'zh', 'mustSetUp', [0], '所有人都已满足要求。'],
  [factor, 'zh', 'mustSetUp', [2], '有 2 人须在下次登录时进行设置。'],
  [factor, 'zh', 'mustSetUp', [10_000], '至少 10000 人须在下次登录时进行设置。'],
  [role, 'en', 'peopleCount', [1, false], '1 person'],
  [role, 'en', 'peopleCount', [1, true], 'More than 1 people'],
  [role, 'en', 'peopleCount', [2, false], '2 people'],
  [role, 'en', 'departments', [1], '1 department'],
  [role, 'en', 'departments', [2], '2 departments'],
  [role, 'en', 'rulesCount', [1], '1 rule'],
  [role, 'en', 'rulesCount', [0], '0 rules'],
  [role, 'en', 'covers', [1], 'covers 1 endpoint'],
  [role, 'en', 'covers', [3], 'covers 3 endpoints'],
  [role, 'en', 'coversPart', [1], 'part of 1 endpoint'],
  [role, 'en', 'coversPart', [3], 'parts of 3 endpoints'],
  [role, 'en', 'wouldCover', [0], 'Matches no known endpoint'],
  [role, 'en', 'wouldCover', [1], 'Would cover 1 endpoint'],
  [role, 'en', 'wouldCover', [2], 'Would cover 2 endpoints'],
  [role, 'zh', 'wouldCover', [0], '没有匹配的已知接口'],
  [role, 'zh', 'wouldCover', [2], '将覆盖 2 个接口'],
  [overview, 'en', 'sessionUsers', [1], 'Of one user'],
  [overview, 'en', 'sessionUsers', [2], 'Of 2 users'],
  [overview, 'en', 'someBehind', [1], 'One is behind'],
  [overview, 'en', 'someBehind', [2], '2 are behind'],
  [overview, 'en', 'guards', [[{ service: 'a', count: 1 }, { service: 'b', count: 2 }]], 'Guards: a, b × 2'],
  [overview, 'en', 'passwordsDue', ['ada', 0, false], 'ada still have the password that somebody gave them.'],
  [overview, 'en', 'passwordsDue', ['ada', 3, true], 'ada and 3 or more others still have the password that somebody gave them.'],
  [overview, 'en', 'adminOnlyCount', [1, false], 'One endpoint can be called by admin only.'],
  [overview, 'en', 'adminOnlyCount', [1, true], '1 or more endpoints can be called by admin only.'],
  [overview, 'en', 'adminOnlyCount', [2, false], '2 endpoints can be called by admin only.'],
  [overview, 'en', 'unmatchedCount', [1], 'One rule matches no endpoint. Often that is a typo.'],
  [overview, 'en', 'unmatchedCount', [2], '2 rules match no endpoint. Often that is a typo.'],
  [overview, 'en', 'requestsOpen', ['ada', 0, false], 'ada requested access.'],
  [overview, 'en', 'requestsOpen', ['ada', 2, true], 'ada and 2 or more others requested access.'],
  [matrix, 'en', 'draft.dropped', [1], 'One change of the draft was dropped: the rules have changed meanwhile.'],
  [matrix, 'en', 'draft.dropped', [2], '2 changes of the draft were dropped: the rules have changed meanwhile.'],
  [wider, 'en', 'onlyOwn', [1], 'Remove only the own rule'],
  [wider, 'en', 'onlyOwn', [2], 'Remove only the 2 own rules'],
  [wider, 'en', 'remove', [1, 1], 'Remove the rule (loses 1 endpoint)'],
  [wider, 'en', 'remove', [2, 2], 'Remove the 2 rules (loses 2 endpoints)'],
  [wider, 'zh', 'remove', [1, 3], '移除该规则（失去 3 个接口）'],
  [wider, 'zh', 'remove', [2, 3], '移除这 2 条规则（失去 3 个接口）'],
  [review, 'en', 'gained', [1], '1 endpoint gained'],
  [review, 'en', 'gained', [2], '2 endpoints gained'],
  [review, 'en', 'lost', [1], '1 endpoint lost'],
  [review, 'en', 'lost', [2], '2 endpoints lost'],
  [provider, 'zh', 'looked', [0], '没有人通过它登录。'],
  [provider, 'zh', 'looked', [2], '已查找 2 位有会话的人，结果已在所有实例生效。'],
  [endpoint, 'en', 'csvText', [1], 'The 1 person that is loaded.'],
  [endpoint, 'en', 'csvText', [2], 'The 2 people that are loaded.'],
  [services, 'en', 'routes', [1], '1 endpoint'],
  [services, 'en', 'routes', [2], '2 endpoints'],
  [audit, 'en', 'user', [0], 'Command line'],
  [audit, 'en', 'user', [7], 'User 7'],
  [audit, 'zh', 'user', [0], '命令行'],
  [audit, 'zh', 'user', [7], '用户 7'],
  [roles, 'en', 'chosen', [1], '1 department'],
  [roles, 'en', 'chosen', [2], '2 departments'],
  [ways, 'en', 'left', [1], '1 recovery code left'],
  [ways, 'en', 'left', [2], '2 recovery codes left'],
  [mapping, 'en', 'effects.loses', [1], '1 loses'],
  [mapping, 'en', 'effects.loses', [2], '2 lose'],
  [mapping, 'en', 'effects.changes', [1], '1 changes otherwise'],
  [mapping, 'en', 'effects.changes', [2], '2 change otherwise'],
  [mapping, 'en', 'effects.gains', [1], '1 gains'],
  [mapping, 'en', 'effects.gains', [2], '2 gain'],
  [mapping, 'en', 'summary', [1, 1], '1 of 1 linked person changes.'],
  [mapping, 'en', 'summary', [2, 3], '2 of 3 linked people change.'],
  [mapping, 'en', 'nobody', [0], 'Nobody is linked yet, so nobody changes now.'],
  [mapping, 'en', 'nobody', [2], 'Nobody of 2 linked people changes now.'],
  [mapping, 'zh', 'nobody', [0], '还没有已关联的人，目前没有人变化。'],
  [mapping, 'zh', 'nobody', [2], '2 位已关联的人目前均无变化。'],
  [provider, 'en', 'looked', [0], 'Nobody has a session by it.'],
  [provider, 'en', 'looked', [1], '1 person with a session looked for. In force on every instance.'],
  [provider, 'en', 'looked', [2], '2 people with a session looked for. In force on every instance.'],
  [overview, 'zh', 'guards', [[{ service: 'a', count: 1 }, { service: 'b', count: 2 }]], '守卫：a、b × 2'],
  [overview, 'zh', 'passwordsDue', ['ada', 0, false], 'ada 仍在使用他人设置的密码。'],
  [overview, 'zh', 'passwordsDue', ['ada', 3, true], 'ada 等另外 3 人以上 仍在使用他人设置的密码。'],
  [overview, 'zh', 'requestsOpen', ['ada', 0, false], 'ada 申请了权限，等待答复。'],
  [overview, 'zh', 'requestsOpen', ['ada', 2, true], 'ada 等另外 2 人以上 申请了权限，等待答复。'],
];

it.each(rows.map((row) => [row[2], row] as const))(
  'counts one, many and none as the language does: %s',
  async (_path, [load, language, path, values, said]) => {
    expect(await say(load, language, path, values)).toBe(said);
  },
);
