// nginx without the gate, also with persistent connections to the service: the baseline for the gateway benchmark.
import type { Recipe } from '../../test/gateways/gateway.ts';
import { nginxCommand, nginxMain } from '../../test/gateways/recipes.ts';

export const plainNginx: Recipe = {
  name: 'plain nginx',
  files: (place) => ({
    'nginx.conf': nginxMain(place),
    'portcullis.conf': `
      upstream service { server 127.0.0.1:${place.upstreamPort}; keepalive 64; }
      server {
        listen 127.0.0.1:${place.port};
        location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
      }`,
  }),
  command: nginxCommand,
};
