// Malformed login bodies, none of which logs a user in. The random ones repeat by seed.
import { Random } from '../../fuzz/random.ts';
import { password } from '../../rig/seed.ts';

const whole = `{"username":"carl","password":${JSON.stringify(password)}}`;
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

const pollution = ['__proto__', 'constructor', 'prototype'].flatMap((key) => [
  `{"${key}":{"username":"carl","password":"x","isAdmin":true}}`,
  `{"${key}":${whole}}`,
  `{"username":"carl","${key}":{"password":${JSON.stringify(password)}}}`,
  `{"constructor":{"prototype":{"username":"carl","password":"x"}},"${key}":1}`,
  `{"username":{"${key}":"carl"},"password":{"${key}":"x"}}`,
]);

/** Not the text that is asked for, in each of the two fields. */
const otherTypes = [
  'null',
  'true',
  '0',
  '1',
  '1e400',
  '-0',
  '[]',
  '["carl"]',
  '{}',
  '{"$ne":""}',
  '{"$gt":""}',
  '""',
].flatMap((value) => [`{"username":${value},"password":"x"}`, `{"username":"carl","password":${value}}`]);

const otherShapes: readonly (string | Buffer)[] = [
  ...[
    '',
    ' ',
    'null',
    '0',
    '"carl"',
    '[]',
    '{}',
    '[{}]',
    `[${whole}]`,
    '{',
    '}',
    '{"',
    '{"username"',
    '\0',
    '{}{}',
  ],
  ...[`${whole}x`, `${whole}${whole}`, `x${whole}`, `${whole},`, `/**/${whole}x`, `${whole}\0`],
  'username=carl&password=x',
  'username[$ne]=&password[$ne]=',
  '{"username[$ne]":"","password[$ne]":""}',
  '{"Username":"carl","Password":"x"}',
  "{'username':'carl','password':'x'}",
  '{"username":"carl","password":NaN}',
  '{"username":"carl","password":"x",}',
  '{"username":"carl","password":"\\ud800',
  '{"user\\u0000name":"carl","password":"x"}',
  utf16(whole),
  utf16(whole).swap16(),
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]),
  Buffer.from(`{"username":"carl","password":"\xff\xfe"}`, 'latin1'),
  Buffer.alloc(4000),
  Buffer.alloc(5000, ' '),
  `{"username":"carl","password":"${'x'.repeat(10_000)}"}`,
  `{"username":"carl","password":"x","more":"${'x'.repeat(5000)}"}`,
  nested(2000, '[', ']'),
  nested(1000, '{"a":', '}'),
  `{"username":${nested(1000, '[', ']')},"password":"x"}`,
  `{"username":"carl","password":"x","a":${nested(1500, '[', ']')}}`,
];

export const hostileBodies: readonly (string | Buffer)[] = [...pollution, ...otherTypes, ...otherShapes];

/** A login with a wrong password, with bytes of it changed, doubled, cut or inserted. */
export function mutatedBodies(count: number): Buffer[] {
  const random = new Random(81);
  const start = Buffer.from('{"username":"carl","password":"not-the-one","uuid":"AAAA","code":"BBBB"}');
  const parts = [
    '"',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '\\',
    '\\u0000',
    '\0',
    '__proto__',
    'null',
    '1e999',
    '\xff',
    '\ufeff',
  ];
  return random.list(count, () => {
    let body: Buffer = start;
    for (let left = 1 + random.below(4); left > 0; left -= 1) {
      const at = random.below(body.length + 1);
      const to = Math.min(body.length, at + random.below(12));
      const insert = random.pick([Buffer.from(random.pick(parts)), body.subarray(at, to), Buffer.alloc(0)]);
      body = Buffer.concat([body.subarray(0, at), insert, body.subarray(random.once(2) ? to : at)]);
    }
    return body;
  });
}
