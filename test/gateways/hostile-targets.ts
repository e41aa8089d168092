// Request lines that some server reads as another target (threats T34 to T46), and the right answer to each: computed by
// the reference and without the product's code.
import { everyNth } from '../attack/paths/every-nth.ts';
import {
  absoluteForms,
  caseFlips,
  confusables,
  dotSegments,
  encodedLetters,
  inserted,
  overrides,
} from '../attack/paths/mutators.ts';
import type { Line } from '../attack/paths/probe.ts';
import { referenceDecision } from '../fuzz/reference.ts';
import { roles } from '../rig/seed.ts';

export interface HostileLine extends Line {
  readonly threat: string;
}

const paths = ['/api/v1/orders/7', '/api/v1/reports/2024/05', '/api/v1/orders'];
const onEvery = (mutate: (path: string) => readonly string[]): Line[] =>
  paths.flatMap((path) => mutate(path).map((target) => ({ method: 'GET', target })));
const bytes = Array.from({ length: 256 }, (_, code) => code);
const encode = (code: number) => `%${code.toString(16).padStart(2, '0')}`;
const routes = [
  { method: 'DELETE', path: '/api/v1/orders/7' },
  { method: 'GET', path: '/api/v1/reports/2024/05' },
].map((route) => ({ ...route, template: route.path, access: 'permission' as const }));
/** The capital ones are those that the service behind, Node, can read at all. */
const methods =
  'GET POST PUT PATCH DELETE HEAD OPTIONS get Get PURGE PROPFIND MKCOL M-SEARCH LINK REPORT SEARCH QUERY TRACE CONNECT'.split(
    ' ',
  );

const threats: Readonly<Record<string, readonly Line[]>> = {
  T34: onEvery((path) => encodedLetters(path, 1)),
  T35: onEvery((path) => [...encodedLetters(path, 2), ...encodedLetters(path, 3)]),
  T36: onEvery((path) => inserted(path, ['%2f', '%2F', '%5c', '\\'])),
  T37: onEvery((path) => inserted(path, ['/', '//'])),
  T38: onEvery((path) => [`${path}/`, `${path}/?x`, `${path}?`, `${path}/*`, `${path}.`, `${path}.json`]),
  T39: onEvery(dotSegments),
  T40: onEvery((path) => inserted(path, [';', ';a=b', '%3B'])),
  T41: onEvery((path) => [...inserted(path, ['#', '#/../x']), `${path}?x#y`, `${path}?x%23y`]),
  T42: onEvery(absoluteForms),
  T43: onEvery((path) => [...caseFlips(path), ...confusables(path)]),
  T44: onEvery((path) =>
    [3, 8, path.length - 1, path.length].flatMap((at) =>
      bytes
        .flatMap((code) => [String.fromCharCode(code), encode(code), '%c0%ae', '%ed%a0%80'])
        .map((part) => path.slice(0, at) + part + path.slice(at)),
    ),
  ),
  T45: methods.flatMap((method) => paths.map((target) => ({ method, target }))),
  T46: overrides(routes),
};

/** So many, of every threat alike. */
export function hostileLines(count: number): HostileLine[] {
  const names = Object.keys(threats);
  return names.flatMap((threat) => {
    const lines = threats[threat] ?? [];
    return everyNth(lines, Math.ceil(count / names.length)).map((line) => ({ ...line, threat }));
  });
}

/**
 * - `unserved`: not canonical, so 404; or refused by the gateway itself, in whatever words;
 * - `denied`: not for the role;
 * - `open`: reaches the service as it was sent.
 */
export type Due = 'unserved' | 'denied' | 'open';

export function dueFor(roleKey: string, { method, target }: Line): Due {
  const [path = ''] = target.split('?', 1);
  if (!/^[A-Z][A-Z-]{0,31}$/.test(method) || !/^[\x21-\x7e]*$/.test(target) || target.includes('#'))
    return 'unserved';
  if (!/^(?:\/(?!\.\.?(?:\/|$))[\w~.-]{1,64})+$/.test(path)) return 'unserved';
  if (roleKey === 'admin') return 'open';
  const rules = roles.flatMap(({ key, rules: texts }) =>
    texts.map((text) => {
      const [ruleMethod = '', rulePath = ''] = text.split(' ');
      return { roleKey: key, method: ruleMethod, path: rulePath };
    }),
  );
  return referenceDecision(rules, roleKey, method, path) === 'allow' ? 'open' : 'denied';
}
