// Spellings of a path that some server, proxy or framework takes for the path itself.
import type { Line } from './probe.ts';
import type { ServedRoute } from './routes.ts';

/** Every single character percent-encoded, in `layers` layers, in small and capital hex. */
export function encodedLetters(path: string, layers: number): string[] {
  return [...path].flatMap((letter, index) =>
    ['toLowerCase' as const, 'toUpperCase' as const].map((letterCase) => {
      const digits = letter.charCodeAt(0).toString(16)[letterCase]();
      const encoded = `%${'25'.repeat(layers - 1)}${digits}`;
      return path.slice(0, index) + encoded + path.slice(index + 1);
    }),
  );
}

/** Each part at every index. */
export function inserted(path: string, parts: readonly string[]): string[] {
  return Array.from({ length: path.length + 1 }, (_, index) => index).flatMap((index) =>
    parts.map((part) => path.slice(0, index) + part + path.slice(index)),
  );
}

export function dotSegments(path: string): string[] {
  const dots = ['.', '%2e', '%2E'];
  const doubles = dots.flatMap((first) => dots.map((second) => first + second));
  const segments = [...dots, ...doubles, '..;', '..%00', '%252e%252e', '%c0%ae%c0%ae', '..\\', '.%09.'];
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
  return [...slashes, path.length].flatMap((index) =>
    segments.flatMap((segment) => [
      `${path.slice(0, index)}/${segment}${path.slice(index)}`,
      `${path.slice(0, index)}/x/${segment}${path.slice(index)}`,
    ]),
  );
}

export function absoluteForms(path: string): string[] {
  const authorities = [
    'evil',
    'rig',
    '127.0.0.1',
    '[::1]',
    'rig:80',
    'user@rig',
    'user:secret@rig',
    'rig@evil',
    '',
    '.',
    '%2f',
  ];
  return [
    ...authorities.map((authority) => `http://${authority}${path}`),
    ...authorities.map((authority) => `//${authority}${path}`),
    `https://evil${path}`,
    `HTTP://EVIL${path}`,
    `ws://evil${path}`,
    `file://${path}`,
    `javascript:${path}`,
    `http:${path}`,
    `http:/${path}`,
    `http:\\\\evil${path}`,
    `evil${path}`,
    `rig:80${path}`,
    `@evil${path}`,
    `/@evil${path}`,
    `*${path}`,
    path.slice(1),
    '*',
    'rig:443',
  ];
}

/** Every single letter in the other case, all of them, and each segment separately. */
export function caseFlips(path: string): string[] {
  const flip = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());
  const singles = [...path].map(
    (letter, index) => path.slice(0, index) + flip(letter) + path.slice(index + 1),
  );
  const segments = path.split('/');
  const wholes = segments.map((_, at) =>
    segments.map((segment, index) => (index === at ? segment.toUpperCase() : segment)).join('/'),
  );
  return [...singles, ...wholes, path.toUpperCase()].filter((spelt) => spelt !== path);
}

/** Dotless i, long s, Kelvin sign, Cyrillic and fullwidth letters: as UTF-8 bytes, and those percent-encoded. */
export function confusables(path: string): string[] {
  const alike: Readonly<Record<string, string>> = {
    a: 'аａⓐ',
    e: 'еｅ',
    i: 'ıіｉ',
    k: '\u212aк',
    o: 'оｏ',
    p: 'рｐ',
    r: 'ｒ',
    s: 'ſѕｓ',
    u: 'ｕ',
    v: 'ѵｖⅴ',
    '1': '１¹①',
    '/': '\u2215\u2044／',
    '.': '．\u2024',
  };
  return [...path].flatMap((letter, index) =>
    [...(alike[letter] ?? '')].flatMap((other) =>
      [Buffer.from(other).toString('latin1'), encodeURIComponent(other)].map(
        (part) => path.slice(0, index) + part + path.slice(index + 1),
      ),
    ),
  );
}

export const methodHeaders = [
  'X-HTTP-Method-Override',
  'X-Method-Override',
  'X-HTTP-Method',
  '_method',
  'X-Forwarded-Method',
];
const pathHeaders = [
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Forwarded-Prefix',
  'X-Forwarded-Uri',
  'X-Forwarded-Path',
  'X-Original-URI',
  'X-Accel-Redirect',
  'Referer',
];

/** Requests of another method or path that name the route in a header, the query or the body. */
export function overrides(routes: readonly ServedRoute[]): Line[] {
  return routes.flatMap(({ method, path }) => {
    const content = { body: JSON.stringify({ _method: method, path, item: 'x', count: 1 }) };
    const named = ['GET', 'POST'].flatMap((sent): Line[] => [
      ...methodHeaders.map((header) => ({ method: sent, target: path, headers: `${header}: ${method}\r\n` })),
      { method: sent, target: `${path}?_method=${method}` },
      { method: sent, target: `${path}?method=${method}&X-HTTP-Method-Override=${method}` },
    ]);
    const led = pathHeaders.flatMap((header): Line[] => [
      { method, target: '/', headers: `${header}: ${path}\r\n` },
      { method, target: '/api/v1/nothing', headers: `${header}: ${path}\r\n` },
      // The other way about: the route itself, under the name of an open one.
      { method, target: path, headers: `${header}: /api/v1/greeting\r\n` },
      { method, target: path, headers: `${header}: /api/v1/user/profile\r\n` },
    ]);
    return [...named, ...led, { method: 'POST', target: path, ...content }];
  });
}
