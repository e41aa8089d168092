// Which test or suite judges each file of deploy/, and the words by which it names the file: its path, or the end of it.

type Judge = readonly [test: string, words: string];

const files = 'test/repository/deploy-files.test.ts';
const deployments = 'test/repository/read-deployments.ts';
const untested = 'test/repository/deploy-gateways.test.ts';
const gateways = 'test/gateways/recipes.ts';
const fail2ban = 'test/conformance/fail2ban.test.ts';

export const deployJudges: Readonly<Record<string, Judge>> = {
  'deploy/docker/.gitignore': [files, 'docker/.gitignore'],
  'deploy/docker/Dockerfile': ['test/image/build-image.ts', 'deploy/docker/Dockerfile'],
  'deploy/docker/Dockerfile.dockerignore': ['test/image/build-image.ts', '.dockerignore'],
  'deploy/docker/compose.yaml': [files, 'docker/compose.yaml'],
  'deploy/docker/create-service-role.sh': [files, 'docker/create-service-role.sh'],
  'deploy/docker/make-secrets': [files, 'docker/make-secrets'],
  'deploy/fail2ban/filter.d/portcullis.conf': [fail2ban, 'filter.d/portcullis.conf'],
  'deploy/fail2ban/jail.d/portcullis.conf': [files, 'fail2ban/jail.d/portcullis.conf'],
  'deploy/gateways/caddy/Caddyfile': [gateways, 'caddy/Caddyfile'],
  'deploy/gateways/envoy/README.md': [untested, 'envoy/README.md'],
  'deploy/gateways/envoy/envoy.yaml': [untested, 'envoy/envoy.yaml'],
  'deploy/gateways/haproxy/haproxy.cfg': [gateways, 'haproxy/haproxy.cfg'],
  'deploy/gateways/haproxy/portcullis.lua': [gateways, 'haproxy/portcullis.lua'],
  'deploy/gateways/nginx/go-admin-ui.conf': ['test/examples/start-nginx.ts', 'go-admin-ui.conf'],
  'deploy/gateways/nginx/portcullis.conf': [gateways, 'nginx/portcullis.conf'],
  'deploy/gateways/traefik/README.md': [untested, 'traefik/README.md'],
  'deploy/gateways/traefik/portcullis.yml': [untested, 'traefik/portcullis.yml'],
  'deploy/grafana/portcullis.json': ['test/operate/expressions.ts', 'deploy/grafana/portcullis.json'],
  'deploy/kubernetes/migrate.yaml': [deployments, 'migrate.yaml'],
  'deploy/kubernetes/network-policy.yaml': [deployments, 'network-policy.yaml'],
  'deploy/kubernetes/optional/service-monitor.yaml': [deployments, 'optional/service-monitor.yaml'],
  'deploy/kubernetes/portcullis.yaml': [deployments, 'portcullis.yaml'],
  'deploy/prometheus/alerts.test.yaml': ['test/operate/monitoring-cases.ts', 'alerts.test.yaml'],
  'deploy/prometheus/alerts.yaml': ['test/operate/expressions.ts', 'deploy/prometheus/alerts.yaml'],
  'deploy/prometheus/prometheus.yaml': [files, 'prometheus/prometheus.yaml'],
  'deploy/systemd/portcullis-migrate.service': [deployments, 'portcullis-migrate.service'],
  'deploy/systemd/portcullis.service': [deployments, 'portcullis.service'],
};
