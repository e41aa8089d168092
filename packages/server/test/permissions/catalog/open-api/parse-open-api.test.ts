import { catalogLimits } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { parseOpenApi } from '../../../../src/permissions/catalog/open-api/parse-open-api.ts';

const withPaths = (paths: unknown, more: object = {}) => ({ openapi: '3.1.0', info: {}, paths, ...more });
/** One sound route beside what is looked at, so that the document is not refused for having none. */
const beside = (template: string, item: unknown, more: object = {}) =>
  withPaths({ '/sound': { get: {} }, [template]: item }, more);
function parse(document: unknown, prefix?: string) {
  const parsed = parseOpenApi(document, { prefix });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed;
}
const namesOf = (document: unknown, prefix?: string) =>
  parse(document, prefix).routes.map(({ method, path }) => `${method} ${path}`);
const get = { get: {} };

describe('a document is refused', () => {
  it.each([
    ['nothing', undefined, /not an OpenAPI document/],
    ['null', null, /not an OpenAPI document/],
    ['a list', [], /not an OpenAPI document/],
    ['a text', 'openapi: 3.0.0', /not an OpenAPI document/],
    ['no version', { paths: { '/a': get } }, /not an OpenAPI document/],
    ['a version that is not known', { openapi: '4.0.0', paths: { '/a': get } }, /not an OpenAPI document/],
    ['a version that only begins like one', { openapi: '3.10.0', paths: { '/a': get } }, /not an OpenAPI/],
    [
      'a version in its prototype',
      Object.create({ openapi: '3.0.0', paths: { '/a': get } }),
      /not an OpenAPI/,
    ],
    ['no paths', { openapi: '3.1.0' }, /declares no routes/],
    ['empty paths', withPaths({}), /declares no routes/],
    ['paths that are a list', withPaths([get]), /declares no routes/],
    ['paths without operations', withPaths({ '/a': {} }), /declares no routes/],
    ['only what no rule can name', withPaths({ '/a/*': get }), /The first is \/a\/\*: .*wildcard/],
    [
      'a server that depends on the document',
      withPaths({ '/a': get }, { servers: [{ url: 'v1' }] }),
      /prefix/,
    ],
    ['a server without an address', withPaths({ '/a': get }, { servers: [{}] }), /prefix/],
    ['a server with a query', withPaths({ '/a': get }, { servers: [{ url: 'https://x/a?b' }] }), /prefix/],
    ['a server with a dot segment', withPaths({ '/a': get }, { servers: [{ url: '/a/../b' }] }), /prefix/],
    ['a variable without a default', withPaths({ '/a': get }, { servers: [{ url: '/{v}' }] }), /prefix/],
    ['a basePath that is no text', { swagger: '2.0', basePath: 1, paths: { '/a': get } }, /prefix/],
  ])('that is or has %s', (_what, document, reason) => {
    expect(parseOpenApi(document)).toEqual({ reason: expect.stringMatching(reason) });
  });

  it.each(['a', '/a//b', '/a/*', '/a?b', '/a/{b}.c', '/ä'])('with the prefix %s', (prefix) => {
    expect(parseOpenApi(withPaths({ '/a': get }), { prefix })).toEqual({
      reason: expect.stringMatching(/prefix/),
    });
  });

  const many = (count: number, item: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`/many/${index}`, item]));
  it.each([
    ['more paths than routes may be', many(catalogLimits.routes + 1, get)],
    ['more operations than routes may be', many(catalogLimits.routes / 2 + 1, { get: {}, put: {} })],
    ['more skipped operations than routes may be', many(catalogLimits.routes - 1, { head: {}, trace: {} })],
  ])('that has %s', (_what, paths) => {
    expect(parseOpenApi(withPaths(paths))).toEqual({ reason: expect.stringMatching(/more than 10000/) });
  });
  it('only above the limit', () => {
    expect(parse(withPaths(many(catalogLimits.routes, get))).routes).toHaveLength(catalogLimits.routes);
  });
});

describe('skips with the reason, and imports the rest:', () => {
  it.each([
    ['a query', '/a?b=c', get, 'GET', /query/],
    ['a fragment', '/a#b', get, 'GET', /fragment/],
    ['a wildcard', '/a/*', get, 'GET', /wildcard/],
    ['a wildcard in a segment', '/a/b*', get, 'GET', /wildcard/],
    ['two parameters in a segment', '/a/{b}.{c}', get, 'GET', /beside other text/],
    ['a parameter beside text', '/a/{b}:cancel', get, 'GET', /beside other text/],
    ['a parameter of several segments', '/a/{b*}', get, 'GET', /several segments/],
    ['another of those', '/a/{+b}', get, 'GET', /several segments/],
    ['a parameter without a name', '/a/{}', get, 'GET', /beside other text/],
    ['a brace that is not closed', '/a/{b', get, 'GET', /beside other text/],
    ['a literal colon', '/a/:b', get, 'GET', /":"/],
    ['a path without a slash', 'a', get, 'GET', /start with "\/"/],
    ['a slash at the end', '/a/', get, 'GET', /ends with "\/"/],
    ['an empty segment', '/a//b', get, 'GET', /empty/],
    ['a dot segment', '/a/../b', get, 'GET', /canonical/],
    ['an escape', '/a/%62', get, 'GET', /plain text/],
    ['a letter beyond ASCII', '/ä', get, 'GET', /plain text/],
    ['too many segments', `/a${'/b'.repeat(12)}`, get, 'GET', /segments/],
    ['a path of megabytes', `/${'a'.repeat(2_000_000)}`, get, 'GET', /too long/],
    ['HEAD', '/a', { head: {} }, 'HEAD', /Rules are for/],
    ['OPTIONS', '/a', { options: {} }, 'OPTIONS', /Rules are for/],
    ['TRACE', '/a', { trace: {} }, 'TRACE', /Rules are for/],
    ['a method in upper case', '/a', { GET: {} }, 'GET', /Rules are for/],
    ['an unknown field', '/a', { constructor: {} }, 'CONSTRUCTOR', /Rules are for/],
    ['an operation that is no object', '/a', { get: null }, 'GET', /not an object/],
    ['a path item that is no object', '/a', [], null, /not described/],
    [
      'a servers list without a usable first server',
      '/a',
      { get: { servers: [{ url: 'x' }] } },
      'GET',
      /first server/,
    ],
  ])('%s', (_what, template, item, method, reason) => {
    const { routes, skipped } = parse(beside(template, item));
    expect(routes.map(({ path }) => path)).toEqual(['/sound']);
    expect(skipped).toEqual([
      { method, path: template.slice(0, 200), reason: expect.stringMatching(reason) },
    ]);
  });

  it('a path item that is a prototype', () => {
    const document = JSON.parse('{"openapi":"3.0.0","paths":{"/sound":{"get":{}},"__proto__":{"get":{}}}}');
    const { routes, skipped } = parse(document);
    expect(routes).toHaveLength(1);
    expect(skipped).toMatchObject([{ method: 'GET', path: '__proto__' }]);
    expect(Object.hasOwn(Object.prototype, 'get')).toBe(false);
  });

  it('a route that is there already', () => {
    const document = withPaths({ '/a/{b-c}': get, '/a/{b_c}': get });
    expect(parse(document)).toMatchObject({
      routes: [{ path: '/a/:b_c' }],
      skipped: [{ path: '/a/{b_c}', reason: expect.stringContaining('It repeats') }],
    });
  });
});

describe('references of path items', () => {
  const components = {
    pathItems: { Order: get, 'a/b~c d': get, Far: { $ref: '#/components/pathItems/Order' } },
  };
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `r${index}`,
        index === length - 1 ? get : { $ref: `#/chain/r${index + 1}` },
      ]),
    );

  it.each([
    ['in another file', { $ref: 'other.yaml#/a' }, /does not have/],
    ['at another host', { $ref: 'https://example.com/#/a' }, /does not have/],
    ['to nothing', { $ref: '#/components/pathItems/None' }, /does not have/],
    ['to a prototype', { $ref: '#/__proto__' }, /does not have/],
    ['to a constructor', { $ref: '#/constructor' }, /does not have/],
    ['that is no text', { $ref: 7 }, /does not have/],
    ['with half an escape', { $ref: '#/%' }, /does not have/],
    ['to itself', { $ref: '#/paths/~1referring' }, /endless chain/],
    ['through too many others', { $ref: '#/chain/r0' }, /endless chain/],
    ['of megabytes', { $ref: `#/${'a/'.repeat(1_000_000)}` }, /does not have/],
    ['beside operations', { $ref: '#/components/pathItems/Order', put: {} }, /both/],
    ['beside servers', { $ref: '#/components/pathItems/Order', servers: [] }, /both/],
    ['to a text', { $ref: '#/openapi' }, /not described/],
  ])('%s are skipped', (_what, item, reason) => {
    const { skipped } = parse(beside('/referring', item, { components, chain: chain(9) }));
    expect(skipped).toEqual([{ method: null, path: '/referring', reason: expect.stringMatching(reason) }]);
  });

  it.each([
    ['directly', { $ref: '#/components/pathItems/Order', summary: 'Orders' }],
    ['through another', { $ref: '#/components/pathItems/Far' }],
    ['with escapes', { $ref: '#/components/pathItems/a~1b~0c%20d' }],
    ['to another path', { $ref: '#/paths/~1sound' }],
    ['through eight', { $ref: '#/chain/r0' }],
  ])('within the document are followed %s', (_what, item) => {
    expect(namesOf(beside('/referring', item, { components, chain: chain(8) }))).toEqual([
      'GET /sound',
      'GET /referring',
    ]);
  });

  it('to one item with very many fields cost what one such item costs', () => {
    const large = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x-${index}`, 1]));
    const paths = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`/a/${index}`, { $ref: '#/large' }]),
    );
    const before = process.cpuUsage();
    expect(parse(withPaths(paths, { large: { ...large, get: {} } })).routes).toHaveLength(5000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(5000);
  });
});

describe('routes', () => {
  it('have the method, the path, the summary and the first tag', () => {
    const operation = { summary: 'Find an order', operationId: 'findOrder', tags: ['Orders', 'Sales'] };
    expect(
      parse(withPaths({ '/orders/{id}': { get: operation, summary: 'Order', parameters: [], 'x-a': 1 } })),
    ).toEqual({
      prefix: '',
      routes: [{ method: 'GET', path: '/orders/:id', title: 'Find an order', tag: 'Orders' }],
      skipped: [],
    });
  });

  it.each([
    ['the operation id where there is no summary', { operationId: 'findOrder' }, 'findOrder', null],
    ['nothing where there is neither', {}, '', null],
    ['nothing of what is no text', { summary: 7, operationId: {}, tags: [{}] }, '', null],
    [
      'no line breaks, NULs or changes of direction',
      { summary: ' a\r\n\0b\u202ec\ud800d ', tags: ['\0'] },
      'a b c d',
      null,
    ],
    [
      '200 characters at most',
      { summary: '😀'.repeat(1_000_000), tags: ['t'.repeat(99)] },
      '😀'.repeat(200),
      't'.repeat(64),
    ],
  ])('have %s', (_what, operation, title, tag) => {
    expect(parse(withPaths({ '/a': { get: operation } })).routes).toMatchObject([{ title, tag }]);
  });

  it('are of all methods that rules have and requests can be', () => {
    const item = { get: {}, post: {}, put: {}, patch: {}, delete: {} };
    expect(namesOf(withPaths({ '/a': item }))).toEqual([
      'GET /a',
      'POST /a',
      'PUT /a',
      'PATCH /a',
      'DELETE /a',
    ]);
  });

  it.each([
    ['/', '/'],
    ['/orders/{orderId}/lines/{line-no}', '/orders/:orderId/lines/:line_no'],
    ['/a.b/c-d_e~f/{x.y}', '/a.b/c-d_e~f/:x_y'],
  ])('%s is %s', (template, path) => {
    expect(namesOf(withPaths({ [template]: get }))).toEqual([`GET ${path}`]);
  });
});

describe('the prefix', () => {
  const server = (url: unknown, variables?: object) => ({
    servers: [{ url, variables }, { url: '/second' }],
  });
  it.each([
    ['nothing', {}, ''],
    ['an empty list', { servers: [] }, ''],
    ['the path of the first server', server('https://example.com/api/v1'), '/api/v1'],
    ['without the slash at the end', server('https://example.com:8443/api/v1/'), '/api/v1'],
    ['nothing of a bare host', server('https://example.com'), ''],
    ['nothing of a bare slash', server('/'), ''],
    ['a path alone', server('/api'), '/api'],
    ['a host alone', server('//example.com/api'), '/api'],
    [
      'the defaults of variables',
      server('https://{host}/{v}', { host: { default: 'h' }, v: { default: 'v2' } }),
      '/v2',
    ],
  ])('is %s', (_what, more, prefix) => {
    expect(parse(withPaths({ '/a': get }, more))).toMatchObject({
      prefix,
      routes: [{ path: `${prefix}/a` }],
    });
  });

  it('is the basePath of Swagger 2.0, also where YAML has read its version as a number', () => {
    for (const swagger of ['2.0', 2])
      expect(namesOf({ swagger, basePath: '/v2/', paths: { '/a': get } })).toEqual(['GET /v2/a']);
  });

  it('can be given instead', () => {
    const document = withPaths({ '/a': { get: { servers: [{ url: '/own' }] } } }, server('relative'));
    expect(namesOf(document, '/api/v1/')).toEqual(['GET /api/v1/a']);
    expect(namesOf(document, '')).toEqual(['GET /a']);
  });

  it('is that of the operation or the path where they list servers', () => {
    const item = { get: { servers: [{ url: '/operation' }] }, put: {}, servers: [{ url: '/item' }] };
    expect(namesOf(withPaths({ '/a': item, '/b': get }, server('/all')))).toEqual([
      'GET /operation/a',
      'PUT /item/a',
      'GET /all/b',
    ]);
  });
});
