// Ways to spell a target differently: what routers, proxies and checks are known to disagree about.
import type { Random } from '../random.ts';

type Mutator = (random: Random, target: string) => string;

const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');

const inserted = [
  ...['/', '//', '/./', '/../', ';', ';a=b', '#', '#/../', '?', '\\', '%2f', '%2F', '%5c', '%2e', '%2E%2e'],
  ...['%00', '%09', '%0a', '%0d', '%20', '%23', '%3f', '%3b', '%25', '%', '%zz', '..;/', '\t', '\n', '\r'],
  ...[
    '\r\n',
    '\0',
    ' ',
    '\x7f',
    '\x01',
    ':',
    '*',
    '@',
    '+',
    '~',
    '.',
    '-',
    '_',
    '"',
    '<',
    '|',
    '^',
    '`',
    '{}',
  ],
];
const confusables = ['\u0131', '\u212a', '\u017f', '\u0430', '\u2215', '\uff0f', '\u2024', '\u200b'].map(
  utf8,
);
const overlong = ['%c0%ae', '%c0%af', '%e0%80%af', '\xc0\xae', '\xc0\xaf', '%uff0f'];
const invalidUtf8 = ['\xff', '\x80', '\xed\xa0\x80', '%ff', '%ed%a0%80', '\xe9'];
const publicPaths = ['/api/v1/greeting', '/api/v1/login', '/api/v1/getCaptcha', '/console/index.html'];

function insert(random: Random, target: string, text: string): string {
  const at = random.below(target.length + 1);
  return target.slice(0, at) + text + target.slice(at);
}

function replaceOne(random: Random, target: string, change: (character: string) => string): string {
  const at = random.below(target.length);
  return target.slice(0, at) + change(target.charAt(at)) + target.slice(at + 1);
}

/** Of an ASCII letter; other bytes stay what they are. */
function flipCase(one: string): string {
  return /[A-Za-z]/.test(one) ? String.fromCharCode(one.charCodeAt(0) ^ 0x20) : one;
}

/** Changes the path and leaves the query. */
function onSegments(target: string, change: (segments: string[]) => void): string {
  const [path = '', ...query] = target.split('?');
  const segments = path.split('/').slice(1);
  change(segments);
  return [`/${segments.join('/')}`, ...query].join('?');
}

const encodeAll = (text: string, layer: string) => [...text].map((one) => `%${layer}${hexOf(one)}`).join('');

const others: readonly Mutator[] = [
  (random, target) => replaceOne(random, target, (one) => `%${hexOf(one)}`),
  (random, target) => replaceOne(random, target, (one) => `%${hexOf(one).toUpperCase()}`),
  (_random, target) => `/${encodeAll(target.slice(1), '')}`,
  (random, target) => replaceOne(random, target, (one) => `%25${hexOf(one)}`),
  (random, target) => replaceOne(random, target, (one) => `%2525${hexOf(one)}`),
  (_random, target) => `${target}/`,
  (_random, target) => `${target}.`,
  (_random, target) => `${target} `,
  (_random, target) => ` ${target}`,
  (_random, target) => `${target}%20`,
  (_random, target) => target.replace(/[a-z]/g, flipCase),
  (random, target) => replaceOne(random, target, flipCase),
  (random, target) => replaceOne(random, target, () => random.pick(confusables)),
  (random, target) => insert(random, target, random.pick(overlong)),
  (random, target) => insert(random, target, random.pick(invalidUtf8)),
  (random, target) =>
    random.pick(['http://', 'https://', 'HTTP://', 'h2://', 'file://']) +
    random.pick(['rig', 'evil:80', 'a@b', '']) +
    target,
  (random, target) => `//${random.pick(['evil', 'rig', 'a@b'])}${target}`,
  (random) => random.pick(['rig:443', 'rig', '*', 'api/v1/orders', '@', 'a:b@c', '[::1]:80', 'http:/x']),
  (random, target) =>
    insert(random, target, `/${'a'.repeat(random.pick([63, 64, 65, 200, 2000, 9000, 20_000]))}`),
  (random, target) => `${target}?${'q'.repeat(random.pick([1, 500, 9000, 20_000]))}`,
  (random, target) => onSegments(target, (list) => void list.splice(random.below(list.length + 1), 0, '')),
  (random, target) =>
    onSegments(target, (list) => void list.splice(-1, 1, random.pick(['.', '..', '', '...']))),
  (random, target) => onSegments(target, (list) => void list.splice(random.below(list.length), 1)),
  (random, target) =>
    onSegments(target, (list) => void list.push(random.pick(['7', 'x.css', '..', '%2e%2e', 'role']))),
  (random, target) =>
    onSegments(target, (list) => {
      const [a, b] = [random.below(list.length), random.below(list.length)];
      [list[a], list[b]] = [list[b] ?? '', list[a] ?? ''];
    }),
  (random, target) => `${random.pick(publicPaths)}/..${target}`,
  (random, target) => random.pick(publicPaths) + target,
  (random, target) => target + random.pick(publicPaths),
  (random, target) =>
    `${target}${random.pick([';', '/', '#', '%23', '%3f', '/..;'])}${random.pick(publicPaths)}`,
  (random, target) => replaceOne(random, target, () => String.fromCharCode(random.below(256))),
  (random, target) => insert(random, target, String.fromCharCode(random.below(256))),
  (random, target) => target.slice(0, random.below(target.length)),
  (random, target) =>
    `${target}${target.includes('?') ? '&' : '?'}${random.pick(['_method=DELETE', 'a=%zz', '__proto__=x', 'x=//y/../z;w', '"<>'])}`,
];

export const targetMutators: readonly Mutator[] = [
  ...inserted.map(
    (text): Mutator =>
      (random, target) =>
        insert(random, target, text),
  ),
  ...others,
];

export function mutateTarget(random: Random, target: string): string {
  const mutate = random.once(2) ? random.pick(others) : random.pick(targetMutators);
  return mutate(random, target === '' ? '/' : target);
}
