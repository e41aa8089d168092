// Role keys that a naive comparison, a database collation or a reader takes for `admin`.

/** All spellings of the letters in capitals and small ones, but the right one. */
const cases = Array.from({ length: 31 }, (_, mask) =>
  [...'admin'].map((letter, index) => (((mask + 1) >> index) & 1 ? letter.toUpperCase() : letter)).join(''),
);

export const adminLookAlikes: readonly string[] = [
  ...cases,
  ...[' admin', 'admin ', '\tadmin', 'admin\n', 'admin\r', '\u00a0admin', 'admin\u2003', 'ad min'],
  ...[
    'admin\u200b',
    '\u200badmin',
    'ad\u200dmin',
    'ad\u00admin',
    '\ufeffadmin',
    'admin\u2060',
    '\u202enimda',
  ],
  ...[
    'аdmin',
    'аdmіn',
    'admіn',
    'аԁmіп',
    'αdmin',
    'admιn',
    'ａｄｍｉｎ',
    'ⓐⓓⓜⓘⓝ',
    '𝐚𝐝𝐦𝐢𝐧',
    'admın',
    'admi\u0307n',
    'ádmin',
  ],
  ...["'admin'", '"admin"', 'admin\0', 'admin;', 'admin,guest', 'admin/', '*', '["admin"]', 'admin%00'],
];

/** Names that are there on every object, or that mean everything or nothing. */
export const strangeRoleKeys: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '*',
  '',
  'null',
  'undefined',
  'true',
  '0',
];
