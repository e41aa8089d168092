// Paths of rules that a matcher built on regular expressions would hang on, read as something wider, or loop over.
const parts = String.raw`
  (x+x+)+y (a|a)* (.*)* (a+)+$ [a-z]+ [^/]* .* .+ (?:x) (?=x) (?<n>x) \d+ \w{1,9999} a{1,65535} x? x+ ^ $ | || a|b ( ) [ ] { }
  {id} <id> <int:id> $id : :: :1 :- :. :a:b :id? :id+ :id* :id(\d+) :id(.*) :id.json :é a: * ** a* *a *.json *:id :* ? # ;
  ;a=b % %2 %2e %2f %00 %zz . .. ...; \ \\ " ' < > é
`.match(/\S+/g) as readonly string[];
const strangeParts = [
  '',
  ' ',
  'a b',
  '\t',
  '\n',
  'a\r\nb',
  '`',
  '\u0130',
  '\u212a',
  '\ud83d\ude00',
  '\u200b',
];

/** `*` and the empty segment are good at the end of a path, so they stand only within. */
const frames: readonly ((part: string) => string)[] = [
  (part) => `/api/v1/orders/${part}/x`,
  (part) => `/${part}/api/v1/orders`,
  (part) => `/api/${part}/orders/:id`,
  (part) => `/a/${part}/${part}/b`,
  (part) => `/a/${part}/:id/*`,
  (part) => `x${part}/api/v1/orders`,
  (part) => `${part}api/v1/orders`,
  (part) => `/api/v1/orders/${part}/${'x'.repeat(28)}`,
  (part) => `/a/b/c/${part}/d`,
  (part) => `/${part}/${part}/${part}/a`,
  (part) => `/api/v1/${part}/:id`,
  (part) => `/x/:id/${part}/y`,
  (part) => `/x-${part}/y/*/z`,
];

export const evilPatterns: readonly string[] = [
  ...new Set([
    '/foo/:',
    '/foo/:/bar',
    '/a/(x+x+)+y',
    '*',
    `/${'a'.repeat(300)}`,
    `/${'a/'.repeat(40)}b`,
    ...frames.flatMap((frame) => [...parts, ...strangeParts].map(frame)),
  ]),
];
