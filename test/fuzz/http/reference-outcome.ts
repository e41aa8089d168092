// What the service must answer, slow and readable: HTTP, target, route, identity, site, permission, parameters. It
// shares nothing with the product, which never imports it.
import { type ReferenceRule, referenceDecision } from '../reference.ts';
import { isHttp } from './http-grammar.ts';
import { type HttpCase, valuesOf } from './request.ts';
import { type FoundRoute, findRoute, isValid } from './route-table.ts';

/** What becomes of a token, known by its whole text. One that is not listed was never issued. */
export type TokenState =
  | { readonly roleKey: string }
  | { readonly refused: 'token_expired' | 'token_revoked' | 'token_malformed' };

export interface ReferenceWorld {
  readonly tokens: ReadonlyMap<string, TokenState>;
  readonly rules: readonly ReferenceRule[];
  /** As `METHOD /path`. */
  readonly exclusions: ReadonlySet<string>;
}

export interface Expected {
  /** `allowed`, `not_found`, `not_http`, or the reason of the refusal. */
  readonly outcome: string;
  readonly found?: FoundRoute;
}

const longestTarget = 8192;
const segment = /^[A-Za-z0-9_~.-]{1,64}$/;
const queryText = /^[!-"$-~]*$/;

export function expectOutcome(world: ReferenceWorld, sent: HttpCase): Expected {
  if (!isHttp(sent)) return { outcome: 'not_http' };
  const target = sent.target.replace(/^ +| +$/g, '');
  const [path = '', query] = splitOnce(target, '?');
  const found = isCanonical(target, path, query ?? '') ? findRoute(sent.method, path) : undefined;
  if (found === undefined) return { outcome: 'not_found' };
  const refusal =
    found.route.access === 'public' ? undefined : refusalOf(world, sent, found, path, query ?? '');
  const outcome = refusal ?? (isValid(found, sent.body) ? 'allowed' : 'params_invalid');
  return { outcome, found };
}

function isCanonical(target: string, path: string, query: string): boolean {
  if (target.length > longestTarget || !path.startsWith('/')) return false;
  const segments = path.slice(1).split('/');
  if (!segments.every((text) => segment.test(text) && text !== '.' && text !== '..')) return false;
  return queryText.test(query);
}

function refusalOf(
  world: ReferenceWorld,
  sent: HttpCase,
  { route }: FoundRoute,
  path: string,
  query: string,
): string | undefined {
  const presented = presentedToken(sent, query);
  if ('refused' in presented) return presented.refused;
  const state = world.tokens.get(presented.token) ?? { refused: 'token_malformed' };
  if ('refused' in state) return state.refused;
  if (presented.carrier === 'cookie' && isUnsafe(sent.method) && !isOwnSite(sent)) return 'cross_site';
  if (route.access === 'identity') return undefined;
  return isPermitted(world, state.roleKey, route, path) ? undefined : 'permission_denied';
}

type Presented =
  | { readonly token: string; readonly carrier: 'header' | 'query' | 'cookie' }
  | { readonly refused: 'token_missing' | 'token_malformed' };

/** Header, then query, then cookie. The first that is present decides; twice the same is refused. */
function presentedToken(sent: HttpCase, query: string): Presented {
  const [header, ...further] = valuesOf(sent, 'authorization');
  if (further.length > 0) return { refused: 'token_malformed' };
  if (header !== undefined) {
    const [scheme = '', token] = splitOnce(header, ' ');
    if (scheme.toLowerCase() !== 'bearer' || token === undefined) return { refused: 'token_malformed' };
    return { token, carrier: 'header' };
  }
  const cookies = valuesOf(sent, 'cookie').flatMap((value) => value.split(';'));
  for (const [carrier, name, pairs] of [
    ['query', 'token=', query.split('&')],
    ['cookie', 'jwt=', cookies.map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))],
  ] as const) {
    const [first, second] = pairs.filter((pair) => pair.startsWith(name));
    if (second !== undefined) return { refused: 'token_malformed' };
    if (first !== undefined) return { token: first.slice(name.length), carrier };
  }
  return { refused: 'token_missing' };
}

function isUnsafe(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/** No origin is listed in the settings. A browser that tells the site is believed; else the header that a form cannot send. */
function isOwnSite(sent: HttpCase): boolean {
  const sites = valuesOf(sent, 'sec-fetch-site');
  if (sites.length > 0) return sites.length === 1 && (sites[0] === 'same-origin' || sites[0] === 'none');
  return valuesOf(sent, 'x-requested-with').length > 0;
}

function isPermitted(
  { rules, exclusions }: ReferenceWorld,
  roleKey: string,
  route: FoundRoute['route'],
  path: string,
): boolean {
  if (roleKey === 'admin' || exclusions.has(`${route.method} ${route.path}`)) return true;
  return referenceDecision(rules, roleKey, route.method, path) === 'allow';
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
