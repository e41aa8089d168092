// Names and passwords that are tried first everywhere: what products ship, what lists of leaks begin with, and the
// usual changes to both.
const names = [
  'admin',
  'Admin',
  'administrator',
  'root',
  'portcullis',
  'test',
  'user',
  'guest',
  'demo',
  'ada',
];
const words = [
  ...['admin', 'password', '123456', 'admin123', 'go-admin', 'qwerty', 'letmein', 'welcome', 'root', 'toor'],
  ...[
    'secret',
    'changeme',
    'default',
    'portcullis',
    'abc123',
    'iloveyou',
    'monkey',
    'dragon',
    'master',
    'login',
  ],
  ...['111111', '000000', '12345678', '123456789', 'passw0rd', 'pass', 'test', 'guest', 'demo', 'user'],
];
const endings = [
  '',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  '!',
  '!!',
  '@',
  '@123',
  '#1',
  '2023',
  '2024',
  '2025',
  '2026',
  '00',
];
const cases = [(word: string) => word, (word: string) => word.toUpperCase(), capitalized];

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** So many different ones, the most usual first. */
export function commonPairs(count: number): Credentials[] {
  const passwords = [
    ...new Set(endings.flatMap((end) => cases.flatMap((form) => words.map((word) => form(word) + end)))),
  ];
  const pairs = passwords.flatMap((password) => names.map((username) => ({ username, password })));
  if (pairs.length < count) throw new Error(`There are only ${pairs.length}.`);
  return pairs.slice(0, count);
}
