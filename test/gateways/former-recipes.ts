// The recipes as they were, kept in `former/`: they passed upgrades, asked about the head of a request while its body was held
// back, and gave the service the caller's token. What the cases about whole requests look for must be found in them.
import { type Recipe, readRecipe } from './gateway.ts';
import { caddyCommand, caddyGlobals, haproxyCommand, nginxCommand, nginxMain } from './recipes.ts';

const recipesFolder = 'test/gateways/former';

const nginx: Recipe = {
  name: 'former nginx',
  files: (place) => ({
    'nginx.conf': nginxMain(place),
    'portcullis-secret.conf': `proxy_set_header X-Portcullis-Secret "${place.secret}";\n`,
    'portcullis.conf': readRecipe(`${recipesFolder}/nginx/portcullis.conf`, {
      'server 127.0.0.1:8002;': `server 127.0.0.1:${place.decisionPort};`,
      'server 127.0.0.1:9000;': `server 127.0.0.1:${place.upstreamPort};`,
      'listen 8080;': `listen 127.0.0.1:${place.port};`,
      '/etc/nginx/portcullis-secret.conf': `${place.folder}/portcullis-secret.conf`,
    }),
  }),
  command: nginxCommand,
};

const caddy: Recipe = {
  name: 'former Caddy',
  files: (place) => ({
    Caddyfile: `{\n${caddyGlobals}}\n${readRecipe(`${recipesFolder}/caddy/Caddyfile`, {
      'reverse_proxy 127.0.0.1:8002': `reverse_proxy 127.0.0.1:${place.decisionPort}`,
      'reverse_proxy 127.0.0.1:9000': `reverse_proxy 127.0.0.1:${place.upstreamPort}`,
      '\n:8080 {': `\n:${place.port} {`,
    })}`,
  }),
  command: caddyCommand,
};

const haproxy: Recipe = {
  name: 'former HAProxy',
  files: (place) => ({
    'haproxy.cfg': readRecipe(`${recipesFolder}/haproxy/haproxy.cfg`, {
      'server portcullis 127.0.0.1:8002': `server portcullis 127.0.0.1:${place.decisionPort}`,
      'server guarded 127.0.0.1:9000': `server guarded 127.0.0.1:${place.upstreamPort}`,
      'bind :8080': `bind 127.0.0.1:${place.port}`,
      'bind abns@portcullis': `bind abns@portcullis-${place.port}`,
      '/etc/haproxy/portcullis.lua': `${place.folder}/portcullis.lua`,
    }),
    'portcullis.lua': readRecipe(`${recipesFolder}/haproxy/portcullis.lua`, {
      "'abns@portcullis'": `'abns@portcullis-${place.port}'`,
    }),
  }),
  command: haproxyCommand,
};

/** The former nginx passed no upgrade. */
export const formerRecipes: readonly { readonly recipe: Recipe; readonly passesUpgrades: boolean }[] = [
  { recipe: nginx, passesUpgrades: false },
  { recipe: caddy, passesUpgrades: true },
  { recipe: haproxy, passesUpgrades: true },
];
