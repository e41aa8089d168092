// Controls of the cases about whole requests: the shipped recipes without three of their defences. They pass upgrades, ask about
// the head of a request while its body is held back, and give the service the caller's token. The probes must find them open.
import { type Recipe, replaceOnce } from './gateway.ts';
import { caddy, haproxy, nginx } from './recipes.ts';

/** In each file, texts with their replacement. */
type Changes = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const openRecipes: readonly Recipe[] = [
  change(nginx, {
    'portcullis.conf': {
      '  # "websocket /api/v1/live" websocket;\n  default "";': '  default $http_upgrade;',
      '  websocket upgrade;\n  default "";': '  default $http_connection;',
      '  location / {\n    proxy_request_buffering on;\n    proxy_pass http://portcullis_nobody;':
        '  location /nowhere {\n    proxy_pass http://portcullis_nobody;',
      'location @portcullis {': 'location / {',
      'proxy_set_header Authorization "";': '',
      'proxy_set_header Cookie $portcullis_cookie;': '',
      'proxy_pass http://$portcullis_guarded$portcullis_passed;':
        'proxy_pass http://$portcullis_guarded$portcullis_target;',
    },
  }),
  change(caddy, {
    Caddyfile: {
      '\t\trequest_header -Upgrade\n': '',
      'respond @partial 400': '',
      'respond @unmeasured 411': '',
      'request_header -Authorization': '',
      'request_header Cookie (^|;)\\s*jwt=[^;]* "${1}jwt="': '',
      'uri @token replace {re.token.0} "" 1': '',
      '@second_token vars_regexp {http.request.uri.query} (^|&)token=': '@second_token path /nowhere',
    },
  }),
  change(haproxy, {
    'haproxy.cfg': {
      '  http-request del-header upgrade unless websocket_path { req.hdr(upgrade) -i websocket }\n': '',
      'http-request del-header connection\n':
        'http-request del-header connection unless { req.hdr(upgrade) -m found }\n',
      '  http-request return status 411 if { req.hdr(transfer-encoding) -m found }\n': '',
      '  http-request wait-for-body time 10s\n': '',
    },
    'portcullis.lua': {
      '\n  take_token(txn)\n': '\n',
      'if not is_whole(txn) then': 'if false then',
    },
  }),
];

/** The recipe with these texts replaced, each of which must be there once. */
function change(recipe: Recipe, changes: Changes): Recipe {
  return {
    ...recipe,
    name: `open ${recipe.name}`,
    files: (place) => {
      const files = Object.entries(recipe.files(place)).map(([name, text]): [string, string] => [
        name,
        replaceOnce(text, changes[name] ?? {}, name),
      ]);
      return Object.fromEntries(files);
    },
  };
}
