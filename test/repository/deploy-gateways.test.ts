// What the recipes for Traefik and Envoy mean, which are not in Debian: `npm run gateways` runs the others. What a recipe asks is
// asked of the real listener for decisions, and its lists of headers are laid beside the listener's answers and the recipe for HAProxy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allSettings } from '../../packages/server/src/base/settings/schema.ts';
import {
  createDecisionStandIn,
  secret,
  token,
} from '../../packages/server/test/permissions/decision-api/decision-stand-in.ts';
import { listening } from '../../packages/server/test/permissions/decision-api/listening.ts';
import { readDeploy } from './read-deployments.ts';

type Headers = Readonly<Record<string, string>>;

interface TraefikHeaders {
  readonly customRequestHeaders: Headers;
  readonly customResponseHeaders?: Headers;
}

interface Traefik {
  readonly http: {
    readonly routers: {
      readonly guarded: { readonly rule: string; readonly middlewares: readonly string[] };
    };
    readonly middlewares: Readonly<Record<string, object>> & {
      readonly 'portcullis-clean': { readonly headers: TraefikHeaders };
      readonly 'portcullis-ask': {
        readonly forwardAuth: {
          readonly address: string;
          readonly trustForwardHeader: boolean;
          readonly authRequestHeaders: readonly string[];
          readonly authResponseHeaders: readonly string[];
        };
      };
      readonly 'portcullis-forget': { readonly headers: TraefikHeaders };
    };
  };
}

interface Patterns {
  readonly patterns: readonly { readonly exact: string }[];
}

interface Authorization {
  readonly failure_mode_allow: boolean;
  readonly status_on_error: { readonly code: string };
  readonly allowed_headers: Patterns;
  readonly http_service: {
    readonly path_prefix: string;
    readonly server_uri: { readonly uri: string; readonly cluster: string; readonly timeout: string };
    readonly authorization_request: {
      readonly headers_to_add: readonly { readonly key: string; readonly value: string }[];
    };
    readonly authorization_response: { readonly allowed_upstream_headers: Patterns };
  };
}

interface EnvoyFilter {
  readonly name: string;
  readonly typed_config: Authorization & {
    readonly default_source_code: { readonly inline_string: string };
  };
}

interface Envoy {
  readonly static_resources: {
    readonly listeners: readonly [
      {
        readonly filter_chains: readonly [
          { readonly filters: readonly [{ readonly typed_config: EnvoyManager }] },
        ];
      },
    ];
    readonly clusters: readonly { readonly name: string; readonly load_assignment: unknown }[];
  };
}

interface EnvoyManager {
  readonly http_filters: readonly EnvoyFilter[];
}

/** What a recipe asks the listener for decisions. */
interface Recipe {
  /** Of the listener for decisions, wherever the recipe names it. */
  readonly ports: readonly string[];
  /** How it asks about a request with these headers. */
  ask(method: string, target: string, headers: Headers): { method: string; path: string; headers: Headers };
  /** What it passes on of an answer that allows. */
  readonly passedOn: readonly string[];
  /** What it removes of a request before it asks. */
  readonly removed: readonly string[];
}

const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
const only = (headers: Headers, names: readonly string[]): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => lower(names).includes(name)));
const emptyOf = (headers: Headers) => lower(Object.keys(headers).filter((name) => headers[name] === ''));

const { http } = parse(readDeploy('gateways/traefik/portcullis.yml')) as Traefik;
const clean = http.middlewares['portcullis-clean'].headers;
const forget = http.middlewares['portcullis-forget'].headers;
const { forwardAuth } = http.middlewares['portcullis-ask'];
const traefik: Recipe = {
  ports: [new URL(forwardAuth.address).port],
  ask: (method, target, headers) => {
    const named = Object.keys(clean.customRequestHeaders).find(
      (name) => clean.customRequestHeaders[name] === '{{ env "PORTCULLIS_SECRET" }}',
    );
    const cleaned = { ...headers, [String(named).toLowerCase()]: secret };
    return {
      method: 'GET',
      path: new URL(forwardAuth.address).pathname,
      headers: {
        ...only(cleaned, forwardAuth.authRequestHeaders),
        'x-forwarded-method': method,
        'x-forwarded-uri': target,
      },
    };
  },
  passedOn: lower(forwardAuth.authResponseHeaders),
  // Traefik removes these two from every client that its entry point does not trust.
  removed: [...emptyOf(clean.customRequestHeaders), 'x-forwarded-method', 'x-forwarded-uri'],
};

const { listeners, clusters } = (parse(readDeploy('gateways/envoy/envoy.yaml')) as Envoy).static_resources;
const manager = listeners[0].filter_chains[0].filters[0].typed_config;
const filterOf = (name: string) => {
  const found = manager.http_filters.find((filter) => filter.name === name);
  if (found === undefined) throw new Error(`The recipe for Envoy has no filter ${name}.`);
  return found.typed_config;
};
const authorization = filterOf('envoy.filters.http.ext_authz');
const { http_service: service } = authorization;
const exactly = ({ patterns }: Patterns) => patterns.map(({ exact }) => exact);
const outer = filterOf('portcullis_outer').default_source_code.inline_string;
const cluster = clusters.find(({ name }) => name === service.server_uri.cluster);
const envoy: Recipe = {
  ports: [
    new URL(service.server_uri.uri).port,
    ...[...JSON.stringify(cluster).matchAll(/"port_value":(\d+)/g)].map(([, port = '']) => port),
  ],
  ask: (method, target, headers) => ({
    method,
    path: service.path_prefix + target,
    headers: {
      ...only(headers, ['authorization', ...exactly(authorization.allowed_headers)]),
      ...Object.fromEntries(
        service.authorization_request.headers_to_add.map(({ key, value }) => [
          key.toLowerCase(),
          value.replace('change-me', secret),
        ]),
      ),
    },
  }),
  passedOn: exactly(service.authorization_response.allowed_upstream_headers),
  removed: [...(/local leading = \{(.*?)\}/s.exec(outer)?.[1] ?? '').matchAll(/'([\w-]+)'/g)].map(
    ([, name = '']) => name,
  ),
};

const recipes = Object.entries({ Traefik: traefik, Envoy: envoy });
const ownOrigin = 'https://admin.example.com';
const { listener } = createDecisionStandIn({}, [ownOrigin]);
let port: number;
beforeAll(async () => {
  port = await listening(listener);
});
afterAll(() => listener.close());

async function send({ method, path, headers }: ReturnType<Recipe['ask']>) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  const [reason, body] = [response.headers.get('x-auth-reason'), await response.text()];
  const names = [...response.headers.keys()];
  return { status: response.status, reason, body, names };
}

/** As a gateway asks that passes on all of the client's headers. */
const askWithAll: Recipe['ask'] = (method, target, headers) => ({
  method: 'GET',
  path: '/forward-auth',
  headers: {
    ...headers,
    'x-portcullis-secret': secret,
    'x-forwarded-method': method,
    'x-forwarded-uri': target,
  },
});
const bearer = { authorization: `Bearer ${token}` };
const cookie = { cookie: `jwt=${token}` };
const target = '/api/v1/orders?page=1';

describe.each(recipes)('the recipe for %s', (_name, recipe) => {
  it('asks the decision listener, and never the public one', () => {
    const { schema } = allSettings.find(({ key }) => key === 'decision.port') ?? {};
    expect(new Set(recipe.ports)).toEqual(new Set([String(schema?.default)]));
  });

  it.each<[what: string, status: number, method: string, headers: Headers]>([
    ['a token in the header', 200, 'GET', bearer],
    ['a token in the cookie', 200, 'GET', cookie],
    ['a cookie from a listed origin', 403, 'POST', { ...cookie, origin: ownOrigin }],
    ['a cookie from the own site', 403, 'POST', { ...cookie, 'sec-fetch-site': 'same-origin' }],
    ['a cookie with a header of the front end', 403, 'POST', { ...cookie, 'x-requested-with': 'fetch' }],
    ['a cookie from another site', 401, 'POST', { ...cookie, 'sec-fetch-site': 'cross-site' }],
    ['a caller without a token who reads Chinese', 401, 'GET', { 'accept-language': 'zh-CN' }],
  ])('has %s decided about as if the listener saw all headers', async (_what, status, method, headers) => {
    const client = { ...headers, 'user-agent': 'test', 'x-portcullis-secret': 'of the client' };
    const answer = await send(recipe.ask(method, target, client));
    expect(answer).toEqual(await send(askWithAll(method, target, client)));
    expect(answer.status).toBe(status);
  });

  it('forwards the identity from the answer, and nothing else', async () => {
    const { names } = await send(recipe.ask('GET', target, bearer));
    const identity = names.filter((name) => name.startsWith('x-portcullis-') || name === 'x-request-id');
    expect(identity.length).toBeGreaterThan(4);
    expect(recipe.passedOn.toSorted()).toEqual(identity.toSorted());
  });

  it('removes every header by which a framework takes a request for another one that HAProxy removes', () => {
    const misleading = [
      ...readDeploy('gateways/haproxy/haproxy.cfg').matchAll(
        /^ *http-request del-header (x-[a-z-]+[a-z])$/gm,
      ),
    ].map(([, name = '']) => name);
    expect(misleading.length).toBeGreaterThan(8);
    expect(recipe.removed).toEqual(expect.arrayContaining(misleading));
  });
});

it.each(['gateways/envoy/README.md', 'gateways/traefik/README.md'])(
  '%s says first that no test runs it',
  (page) => {
    const [, , first] = readDeploy(page).split('\n');
    expect(first).toMatch(/^\*\*Not tested here\.\*\*/);
    expect(readDeploy(page)).toContain('`portcullis self-test --gateway URL`');
  },
);

describe('the recipe for Traefik', () => {
  const { rule, middlewares } = http.routers.guarded;

  it('guards every path, and asks when the request is complete, cleaned and still has its token', () => {
    expect(rule).toBe('PathPrefix(`/`)');
    expect(middlewares).toEqual([
      'portcullis-whole',
      'portcullis-clean',
      'portcullis-ask',
      'portcullis-forget',
    ]);
    expect(Object.keys(http.middlewares['portcullis-whole'] ?? {})).toEqual(['buffering']);
  });

  it('trusts no header of the client about the original request or its identity', () => {
    expect(forwardAuth.trustForwardHeader).toBe(false);
    const identity = traefik.passedOn.filter((name) => name.startsWith('x-portcullis-'));
    const spellings = identity.flatMap((name) => [name, name.replaceAll('-', '_')]);
    expect(traefik.removed).toEqual(expect.arrayContaining(spellings));
  });

  it('gives the service neither the secret nor a token', () => {
    expect(emptyOf(forget.customRequestHeaders)).toEqual(
      expect.arrayContaining(['x-portcullis-secret', 'authorization', 'cookie']),
    );
  });

  it('forwards no gateway header of a refusal to the browser', async () => {
    const { names } = await send(traefik.ask('GET', target, {}));
    const forGateways = names.filter((name) => name.startsWith('x-portcullis-'));
    expect(forGateways.length).toBeGreaterThan(0);
    expect(emptyOf(clean.customResponseHeaders ?? {}).toSorted()).toEqual(forGateways.toSorted());
  });
});

describe('the recipe for Envoy', () => {
  it('refuses where Portcullis is unreachable, slow or fails', () => {
    expect(authorization.failure_mode_allow).toBe(false);
    expect(authorization.status_on_error).toEqual({ code: 'ServiceUnavailable' });
    expect(service.server_uri.timeout).toBe('2s');
  });

  it('asks when the request is complete and cleaned, and requires a user before the service is called', () => {
    expect(manager.http_filters.map(({ name }) => name)).toEqual([
      'envoy.filters.http.buffer',
      'portcullis_outer',
      'envoy.filters.http.ext_authz',
      'portcullis_demand',
      'envoy.filters.http.router',
    ]);
  });

  it('decides about exactly the target that the service gets', () => {
    expect(manager).toMatchObject({
      normalize_path: false,
      merge_slashes: false,
      path_with_escaped_slashes_action: 'KEEP_UNCHANGED',
      http_protocol_options: { allow_absolute_url: false },
      common_http_protocol_options: { headers_with_underscores_action: 'DROP_HEADER' },
    });
    expect(manager).not.toHaveProperty('upgrade_configs');
  });

  it('removes every header of the client that speaks for Portcullis, and the token after the decision', () => {
    expect(outer).toContain("if name:find('portcullis', 1, true) then");
    const demand = filterOf('portcullis_demand').default_source_code.inline_string;
    expect(demand).toContain("headers:remove('authorization')");
    expect(demand).toContain("without(cookie, ';', 'jwt')");
    expect(demand).toContain("without(query, '&', 'token')");
  });
});
