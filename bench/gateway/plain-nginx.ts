// nginx as it is without the gate, with kept connections to the service as well: what the gate is measured beside.
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
