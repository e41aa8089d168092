// Random rules, and requests that are near them or hostile. Few words, so that rules meet often.
import { methods, parseRule, type Rule } from '@portcullis/policy';
import type { Random } from './random.ts';

const roleKeys = ['a', 'b', 'constructor', 'admin'] as const;
const strangeRoles = [
  '',
  '*',
  '__proto__',
  'toString',
  'A',
  ' a',
  'a ',
  'admin\u200b',
  'hasOwnProperty',
  'c',
] as const;
const strangeMethods = [
  '',
  '*',
  'get',
  'TRACE',
  'CONNECT',
  '__proto__',
  'constructor',
  'GET ',
  'G',
  'GETGET',
] as const;
const words = [
  'a',
  'b',
  'ab',
  'abc',
  'abd',
  'user',
  'users',
  'user.json',
  'x-y',
  'A',
  '~',
  '_',
  '...',
  '0',
] as const;
const names = ['id', 'x', '_y', 'Name9'] as const;
const values = [
  '1',
  'q',
  '%20',
  '%E4%B8%AD',
  'a:b',
  "!$&'()*+,=@",
  ':id',
  '*',
  'userXjson',
  '%25',
  '.a',
] as const;
const strangeSegments = [
  ...[
    '',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5C',
    '%00',
    '%7f',
    '%41',
    '%zz',
    '%',
    '%4',
    ';a',
    'a;b',
    '?',
    '#',
  ],
  ...[
    '\\',
    'a b',
    '\t',
    '\n',
    '\r',
    '\u0000',
    'é',
    '中',
    '\ud83d\ude00',
    '\ud83d',
    '\u2028',
    '"',
    '<',
    '|',
    '^',
    '`',
  ],
  ...[
    '{a}',
    '[a]',
    '(x+x+)+y',
    '__proto__',
    'a'.repeat(65),
    'a'.repeat(300),
    `${'a'.repeat(5000)}`,
    'USERS',
    'use',
  ],
] as const;

export function randomRule(random: Random): Rule {
  const rulePath = random.once(15) ? '/' : `/${randomRuleSegments(random).join('/')}`;
  const method = random.once(4) ? '*' : random.pick(methods.slice(0, 3));
  const parsed = parseRule({ roleKey: random.pick(roleKeys), method, path: rulePath });
  if ('reason' in parsed) throw new Error(`The fuzzer made a rule outside the grammar: ${parsed.reason}`);
  return parsed.rule;
}

function randomRuleSegments(random: Random): string[] {
  const segments = random.list(1 + random.below(random.once(10) ? 11 : 4), () => {
    return random.once(3) ? `:${random.pick(names)}` : randomWord(random);
  });
  if (random.once(5)) segments.push('*');
  return segments;
}

function randomWord(random: Random): string {
  return random.once(3) ? random.pick(words) : random.pick(words.slice(0, 3));
}

export interface RandomRequest {
  readonly roleKey: string;
  readonly method: string;
  readonly path: string;
}

/** A request that a rule allows, one that it almost allows, or any request at all. */
export function randomRequest(random: Random, rules: readonly Rule[]): RandomRequest {
  if (rules.length === 0 || random.once(8)) {
    return { roleKey: anyRole(random), method: anyMethod(random), path: anyPath(random) };
  }
  const rule = random.pick(rules);
  const roleKey = random.once(8) ? anyRole(random) : rule.roleKey;
  const method = rule.method === '*' || random.once(8) ? anyMethod(random) : rule.method;
  const segments = matchingSegments(random, rule.path);
  if (random.once(2)) for (let i = random.below(3); i >= 0; i--) spoil(random, segments);
  const path = `/${segments.join('/')}`;
  return { roleKey, method, path: random.once(12) ? changeCharacter(random, path) : path };
}

function anyRole(random: Random): string {
  return random.once(4) ? random.pick(strangeRoles) : random.pick(roleKeys);
}

function anyMethod(random: Random): string {
  return random.once(6) ? random.pick(strangeMethods) : random.pick(methods);
}

function anyPath(random: Random): string {
  const segments = random.list(random.below(6), () => {
    return random.once(3) ? random.pick(strangeSegments) : randomValue(random);
  });
  const path = `/${segments.join('/')}`;
  return random.once(20) ? path.slice(1) : path;
}

/** The segments of a path that a rule's path matches. */
export function matchingSegments(random: Random, rulePath: string): string[] {
  if (rulePath === '/') return [];
  return rulePath
    .slice(1)
    .split('/')
    .flatMap((segment) => {
      if (segment === '*') return random.list(1 + random.below(3), () => randomValue(random));
      return segment.startsWith(':') ? randomValue(random) : segment;
    });
}

function randomValue(random: Random): string {
  return random.once(2) ? random.pick(values) : randomWord(random);
}

function spoil(random: Random, segments: string[]): void {
  const place = random.below(segments.length + 1);
  switch (random.below(6)) {
    case 0:
      segments.splice(place, 1);
      break;
    case 1:
      segments.splice(place, 0, randomWord(random));
      break;
    case 2:
      segments.splice(place, 1, random.pick(strangeSegments));
      break;
    case 3:
      segments.splice(place, 1, randomWord(random));
      break;
    case 4:
      segments.push('');
      break;
    default:
      segments.splice(-1, 1, '');
  }
}

function changeCharacter(random: Random, path: string): string {
  const at = random.below(path.length);
  return (
    path.slice(0, at) +
    String.fromCharCode(random.below(random.once(10) ? 0x10000 : 128)) +
    path.slice(at + 1)
  );
}
