// Random bodies of a login: valid in form, of the wrong kinds, poisonous, broken, wrongly encoded and too large.
import type { Random } from '../random.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const names = ['username', 'password', 'uuid', 'code'] as const;
const furtherNames = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'username[$ne]',
    'username.$gt',
  ],
  ...[
    'roleKey',
    'dataScope',
    'userId',
    'isAdmin',
    '',
    ' ',
    '\0',
    '\ud800',
    'user\u0000name',
    'Username',
    'token',
    '$where',
  ],
  ...['x'.repeat(300), '0', '-1', 'then', 'toJSON', 'length'],
];
const texts = [
  ...[
    'ada',
    'carl',
    'Rig-password-4711',
    'K7WQP',
    'AAAAAAAAAAAAAAAAAAAAAA',
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
  ],
  ...[
    "' OR 1=1--",
    '"; drop table users; --',
    '#{7*7}',
    '{{7*7}}',
    '<script>',
    '../../etc/passwd',
    '%00',
    '\r\nX: y',
  ],
  ...[
    '\u202eadmin',
    '\ufeffada',
    'a\u0300',
    '\u{1f600}',
    'ａｄａ',
    '\u0130',
    '\u2028',
    '\x1b[2J',
    '=cmd|x',
    'null',
    '[object Object]',
  ],
  ...[
    'a'.repeat(64),
    'a'.repeat(65),
    'a'.repeat(256),
    'a'.repeat(257),
    'é'.repeat(64),
    'A'.repeat(22),
    'a'.repeat(3000),
  ],
];
const numbers = [
  '0',
  '-0',
  '1',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '1E5',
  '123456789012345678901234567890',
];
const poison = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"$ne":null}',
  '{"$gt":""}',
  '{"toString":null}',
  '{"length":1e9}',
  '["ada"]',
  '[["ada"]]',
];
const broken = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '{}',
    '[]',
    '[',
    'null',
    'true',
    '""',
    '"x"',
    '0',
    '{]',
    '{"username"}',
    '{"username":}',
    '{,}',
    '{"a":1,}',
  ],
  ...[
    "{'username':'ada'}",
    '{username:"ada"}',
    '{"username":NaN}',
    '{"username":undefined}',
    '{"username":0x10}',
    '{"a":01}',
  ],
  ...[
    '{"username":"\x01"}',
    '{"username":"\\x"}',
    '{"username":"\\u12"}',
    '/**/{}',
    '{}//',
    '{}{}',
    '{} x',
    '<a/>',
    'username=ada&password=x',
  ],
  ...[
    'username[$ne]=x&password[$ne]=x',
    '\0',
    '\x1f\x8b\x08\0',
    'PK\x03\x04',
    '--x\r\nContent-Disposition: form-data; name="username"\r\n\r\nada\r\n--x--',
  ],
];

/** The bytes of a body, as a latin1 text. */
export function generateBody(random: Random): string {
  const plan = random.below(24);
  if (plan < 4) return utf8(objectOf(random, () => plainText(random)));
  if (plan < 8) return utf8(objectOf(random, () => anyValue(random, 3)));
  if (plan < 11) return utf8(poisoned(random));
  if (plan < 13) return utf8(doubled(random));
  if (plan < 14) return nested(random);
  if (plan < 16) return utf8(random.pick(broken));
  if (plan < 18) return spoil(random, utf8(objectOf(random, () => plainText(random))));
  if (plan < 20)
    return encoded(
      random,
      objectOf(random, () => plainText(random)),
    );
  if (plan < 21) return sized(random);
  if (plan < 23) return utf8(anyValue(random, 5));
  return attempt(random);
}

/** A valid body except for its captcha, which was never fetched. */
function attempt(random: Random): string {
  const uuid = `fuzz-${random.below(2 ** 31)}`.padEnd(22, '_');
  const username = random.pick(['ada', 'carl', 'nobody', 'ADA', 'ada ']);
  return JSON.stringify({
    username,
    password: 'x',
    uuid,
    code: random.pick(['K7WQP', 'k7wqp', '0', 'null']),
  });
}

function plainText(random: Random): string {
  return stringOf(random, random.pick(texts));
}

/** A JSON string, with some characters escaped that need not be. */
function stringOf(random: Random, text: string): string {
  const json = JSON.stringify(text);
  if (!random.once(4)) return json;
  return json.replace(/[a-z](?=[a-z"])/, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function objectOf(random: Random, value: () => string): string {
  const members: string[] = names.filter(() => !random.once(12)).map((name) => `"${name}":${value()}`);
  if (random.once(3)) members.push(`${stringOf(random, random.pick(furtherNames))}:${anyValue(random, 2)}`);
  const blank = random.once(6) ? random.pick([' ', '\n', '\t', '\r\n  ']) : '';
  return `{${blank}${members.join(`${blank},${blank}`)}${blank}}`;
}

function anyValue(random: Random, depth: number): string {
  const plan = random.below(depth > 0 ? 9 : 6);
  if (plan < 3) return plainText(random);
  if (plan === 3) return random.pick(numbers);
  if (plan === 4) return random.pick(['null', 'true', 'false']);
  if (plan === 5) return random.pick(poison);
  const values = random.list(random.below(5), () => anyValue(random, depth - 1));
  if (plan < 8) return `[${values.join(',')}]`;
  return `{${values.map((value) => `${stringOf(random, random.pick([...names, ...furtherNames]))}:${value}`).join(',')}}`;
}

function poisoned(random: Random): string {
  const object = objectOf(random, () => plainText(random));
  const name = random.pick([
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
    '"prototype"',
    '"__proto__ "',
  ]);
  const value = random.pick([...poison, '{"prototype":{"polluted":true}}', 'null', '[]', '"x"']);
  return random.once(2) ? `{${name}:${value},${object.slice(1)}` : `${object.slice(0, -1)},${name}:${value}}`;
}

function doubled(random: Random): string {
  const object = objectOf(random, () => plainText(random));
  const further = random.list(1 + random.below(4), () => `"${random.pick(names)}":${anyValue(random, 1)}`);
  return `${object.slice(0, -1)},${further.join(',')}}`;
}

function nested(random: Random): string {
  const depth = random.pick([10, 100, 1000, 2000, 2040]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"username":', '}'],
  ] as const);
  const times = Math.min(depth, Math.floor(4000 / (open.length + 1)));
  return `${open.repeat(times)}1${random.once(4) ? '' : close.repeat(times)}`;
}

function spoil(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    default:
      return text.slice(0, at) + text.slice(at + 1 + random.below(5));
  }
}

function encoded(random: Random, text: string): string {
  const utf16 = Buffer.from(text, 'utf16le');
  return random.pick([
    () => `\xef\xbb\xbf${utf8(text)}`,
    () => utf16.toString('latin1'),
    () => `\xff\xfe${utf16.toString('latin1')}`,
    () => `\xfe\xff${Buffer.from(utf16).swap16().toString('latin1')}`,
    () => `+AHs-${text}`,
    () => Buffer.from(text).toString('base64'),
    () => text.replace('a', '\xff'),
    () => text.replace('a', '\xc0\xae'),
    () => text.replace('a', '\xed\xa0\x80'),
    () => text.replaceAll('"', '\xe2\x80\x9c'),
  ])();
}

/** Around the limit of 4096 bytes, and far beyond it now and then. */
function sized(random: Random): string {
  const length = random.once(300)
    ? 1024 * 1024
    : random.pick([4095, 4096, 4097, 5000, 16_384, 16_385, 65_536]);
  const body = `{"username":"ada","password":"x","uuid":"x","code":"`;
  return `${body}${'a'.repeat(length - body.length - 2)}"}`;
}
