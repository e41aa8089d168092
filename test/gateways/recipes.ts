// The recipes that can be run here, as programs with their files. Traefik and Envoy are not in Debian.
import { accessLog, type Place, type Recipe, readRecipe } from './gateway.ts';

const recipesFolder = 'deploy/gateways';

export const nginx: Recipe = {
  name: 'nginx',
  files: (place) => ({
    'nginx.conf': nginxMain(place),
    'portcullis-secret.conf': `proxy_set_header X-Portcullis-Secret "${place.secret}";\n`,
    'portcullis.conf': readRecipe(`${recipesFolder}/nginx/portcullis.conf`, {
      'server 127.0.0.1:8002;': `server 127.0.0.1:${place.decisionPort};`,
      'server 127.0.0.1:9000;': `server 127.0.0.1:${place.upstreamPort};`,
      'listen 8080;': `listen 127.0.0.1:${place.port}${place.http2 ? ' http2' : ''};`,
      '/etc/nginx/portcullis-secret.conf': `${place.folder}/portcullis-secret.conf`,
      'http://portcullis_decision/forward-auth': `http://portcullis_decision${place.decisionPath}`,
      '/var/log/nginx/access.log': `${place.folder}/${accessLog}`,
      ...patience(place, (time) => `client_body_timeout ${time};`),
      ...websocket(place, '# "websocket /api/v1/live"', (path) => `"websocket ${path}"`),
    }),
  }),
  command: nginxCommand,
};

export const caddy: Recipe = {
  name: 'Caddy',
  files: (place) => ({
    Caddyfile: readRecipe(`${recipesFolder}/caddy/Caddyfile`, {
      'reverse_proxy 127.0.0.1:8002': `reverse_proxy 127.0.0.1:${place.decisionPort}`,
      'reverse_proxy 127.0.0.1:9000': `reverse_proxy 127.0.0.1:${place.upstreamPort}`,
      '\n:8080 {': `\n:${place.port} {`,
      'rewrite /forward-auth?': `rewrite ${place.decisionPath}?`,
      '{\n\tservers {\n': `{\n${caddyGlobals}\tservers {\n${caddyProtocols(place)}`,
      ...patience(place, (time) => `read_body ${time}`),
      ...websocket(place, '\t\trequest_header -Upgrade\n', caddyWebsocket),
    }),
  }),
  command: caddyCommand,
};

export const haproxy: Recipe = {
  name: 'HAProxy',
  files: (place) => ({
    'haproxy.cfg': readRecipe(`${recipesFolder}/haproxy/haproxy.cfg`, {
      'server portcullis 127.0.0.1:8002': `server portcullis 127.0.0.1:${place.decisionPort}`,
      'server guarded 127.0.0.1:9000': `server guarded 127.0.0.1:${place.upstreamPort}`,
      'bind :8080': `bind 127.0.0.1:${place.port}${place.http2 ? ' proto h2' : ''}`,
      'bind abns@portcullis': `bind abns@portcullis-${place.port}`,
      '/etc/haproxy/portcullis.lua': `${place.folder}/portcullis.lua`,
      '\nglobal\n': '\nglobal\n  log stdout format raw local0\n',
      ...patience(place, (time) => `wait-for-body time ${time}`),
      ...websocket(place, 'acl websocket_path always_false', (path) => `acl websocket_path path ${path}`),
    }),
    'portcullis.lua': readRecipe(`${recipesFolder}/haproxy/portcullis.lua`, {
      "'abns@portcullis'": `'abns@portcullis-${place.port}'`,
      'http://portcullis/forward-auth': `http://portcullis${place.decisionPath}`,
    }),
  }),
  command: haproxyCommand,
};

export const recipes: readonly Recipe[] = [nginx, caddy, haproxy];

/** A careless configuration that these tests must detect: every 2xx allows the request. */
export const naiveNginx: Recipe = {
  name: 'naive nginx',
  files: (place) => ({
    'nginx.conf': nginxMain(place),
    'portcullis.conf': `server {
      listen 127.0.0.1:${place.port};
      location / { auth_request /ask; proxy_pass http://127.0.0.1:${place.upstreamPort}; }
      location = /ask {
        internal;
        proxy_pass http://127.0.0.1:${place.decisionPort}${place.decisionPath};
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
      }
    }`,
  }),
  command: nginxCommand,
};

/** The recipes give a body ten seconds. */
function patience({ bodySeconds }: Place, write: (time: string) => string): Record<string, string> {
  return bodySeconds === 0 ? {} : { [write('10s')]: write(`${bodySeconds}s`) };
}

function websocket(
  { websocketPath }: Place,
  closed: string,
  open: (path: string) => string,
): Record<string, string> {
  return websocketPath === '' ? {} : { [closed]: open(websocketPath) };
}

/** As the page writes it. */
const caddyWebsocket = (path: string) => `		@ordinary not {
			path ${path}
			header Upgrade websocket
		}
		request_header @ordinary -Upgrade
`;

export const caddyGlobals = '\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n';

function caddyProtocols({ http2 }: Place): string {
  return http2 ? '\t\tprotocols h1 h2c\n' : '';
}

export function caddyCommand({ folder }: Place): [string, ...string[]] {
  return ['/usr/bin/caddy', 'run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'];
}

export function haproxyCommand({ folder }: Place): [string, ...string[]] {
  return ['/usr/sbin/haproxy', '-db', '-f', `${folder}/haproxy.cfg`];
}

export function nginxMain({ folder }: Place): string {
  const parts = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
    master_process off;
    pid ${folder}/pid;
    error_log stderr warn;
    events { worker_connections 1024; }
    http {
      access_log off;
      ${parts.map((part) => `${part}_temp_path ${folder}/${part};`).join('\n      ')}
      include ${folder}/portcullis.conf;
    }\n`;
}

export function nginxCommand({ folder }: Place): [string, ...string[]] {
  return ['/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', `${folder}/nginx.conf`];
}
